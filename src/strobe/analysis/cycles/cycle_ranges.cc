#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/row_index.h"
#include "strobe/trace/extent.h"

namespace strobe::analysis {
namespace {

bool can_mark(SliceKind kind) {
  return is_tree_kind(kind) || kind == SliceKind::kPythonCall || kind == SliceKind::kOther;
}

// A trace may hold several processes, each with a loop of its own. The one whose markers last
// longest is used.
std::vector<SliceId> of_main_process(const Trace& trace, const std::vector<SliceId>& slices) {
  std::map<StringId, std::int64_t> marked_ns;
  for (const SliceId slice : slices) {
    marked_ns[trace.track(slice).process] += trace.duration_ns(slice);
  }
  const auto most =
      std::ranges::max_element(marked_ns, {}, [](const auto& entry) { return entry.second; });
  std::vector<SliceId> chosen;
  std::ranges::copy_if(slices, std::back_inserter(chosen),
                       [&](SliceId slice) { return trace.track(slice).process == most->first; });
  return chosen;
}

// Joins markers into cycles. Overlapping markers of different threads make one cycle. A marker
// inside another one of its thread is not a border. Rounded times can let a marker begin before the
// previous one of its thread has ended; it then ends the previous cycle.
class CycleJoiner {
 public:
  explicit CycleJoiner(const Trace& trace) : trace_(trace) {}

  void add(SliceId slice) {
    const Interval interval = trace_.interval(slice);
    if (interval.length_ns() == 0) return;
    const TrackId track = trace_.slices().tracks[slice.index()];
    if (cycles_.empty() || interval.start_ns >= cycles_.back().interval.end_ns) {
      begin(slice, track);
      return;
    }
    Cycle& open = cycles_.back();
    const auto [own, is_first_of_track] = ends_ns_.try_emplace(track, interval.end_ns);
    if (is_first_of_track) {
      open.interval.end_ns = std::max(open.interval.end_ns, interval.end_ns);
    } else if (interval.end_ns > own->second) {
      open.interval.end_ns = interval.start_ns;
      begin(slice, track);
    }
  }
  std::vector<Cycle> take() && { return std::move(cycles_); }

 private:
  void begin(SliceId slice, TrackId track) {
    Cycle cycle;
    cycle.interval = trace_.interval(slice);
    cycle.name = trace_.name(slice);
    cycles_.push_back(std::move(cycle));
    ends_ns_.clear();
    ends_ns_[track] = trace_.end_ns(slice);
  }

  const Trace& trace_;
  std::vector<Cycle> cycles_;
  std::map<TrackId, std::int64_t> ends_ns_;  // the end of each track's marker in the open cycle
};

CycleList marked_cycles(const Trace& trace, CycleMethod method, std::vector<SliceId> markers,
                        const std::string& otherwise) {
  CycleList list;
  list.method = method;
  list.confidence = CycleConfidence::kHigh;
  list.marker_slices = markers;
  sort_by_nesting(trace, markers);
  std::vector<SliceId> chosen = of_main_process(trace, markers);
  CycleJoiner joiner(trace);
  for (const SliceId slice : chosen) joiner.add(slice);
  list.cycles = std::move(joiner).take();
  list.process = trace.strings()[trace.track(chosen[0]).process];
  std::set<std::string> names;
  for (const Cycle& cycle : list.cycles) names.insert(without_number(cycle.name));
  list.marker = names.size() == 1 ? *names.begin() : otherwise;
  return list;
}

// A few names the user might have meant.
std::string known_annotations(const Trace& trace) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < trace.slice_count() && names.size() < 4; ++row) {
    const SliceId slice(row);
    if (trace.kind(slice) != SliceKind::kAnnotation && trace.kind(slice) != SliceKind::kStep) {
      continue;
    }
    std::string name = without_number(trace.name(slice));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty()) return "the trace has no annotations; operator names match too";
  return fmt::format("the trace is annotated with '{}'", fmt::join(names, "', '"));
}

}  // namespace

std::string without_number(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return std::string(name);
  return std::string(name.substr(0, end + 1)) + "N";
}

Result<CycleList> cycles_by_marker(const Trace& trace, const std::string& pattern,
                                   const std::string& where) {
  STROBE_TRY(const NameFilter matches, name_filter(where, pattern));
  OncePerName is_match(trace.strings(), std::cref(matches));
  std::vector<SliceId> markers;
  bool has_length = false;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (!can_mark(trace.kind(slice)) || trace.track(slice).device) continue;
    if (!is_match(trace.slices().names[row])) continue;
    markers.push_back(slice);
    has_length = has_length || trace.duration_ns(slice) > 0;
  }
  if (!has_length) {
    return Error{ErrorCode::kTooLittleData, fmt::format("no host range matches '{}'", pattern),
                 where, known_annotations(trace)};
  }
  return marked_cycles(trace, CycleMethod::kMarker, std::move(markers), pattern);
}

Result<CycleList> cycles_by_steps(const Trace& trace) {
  const auto& kinds = trace.slices().kinds;
  std::vector<SliceId> steps;
  bool has_length = false;
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    if (kinds[row] != SliceKind::kStep) continue;
    steps.push_back(SliceId(row));
    has_length = has_length || trace.duration_ns(SliceId(row)) > 0;
  }
  if (!has_length) return Error{ErrorCode::kTooLittleData, "no step annotations", "", ""};
  std::string first = without_number(trace.name(steps[0]));
  return marked_cycles(trace, CycleMethod::kSteps, std::move(steps), first);
}

namespace {

constexpr double kLeastCoverage = 0.8;
constexpr double kLeastLaunching = 0.5;

// Ranges of one thread with the same name (ignoring numbers), none inside another.
struct Frame {
  TrackId track;
  std::size_t depth = 0;        // of the shallowest
  std::vector<SliceId> slices;  // by start
};

class FrameFinder {
 public:
  explicit FrameFinder(const Trace& trace)
      : trace_(trace), loops_(trace.strings().size(), kUnknown) {}

  std::vector<Frame> find() {
    // Frames of the interpreter and the framework's ranges cross, so each kind nests by itself.
    std::map<std::pair<TrackId, bool>, std::vector<SliceId>> nests;
    for (std::size_t row = 0; row < trace_.slice_count(); ++row) {
      const SliceId slice(row);
      const bool is_call = trace_.kind(slice) == SliceKind::kPythonCall;
      if (!is_call && !is_tree_kind(trace_.kind(slice))) continue;
      if (trace_.track(slice).device || trace_.duration_ns(slice) == 0) continue;
      nests[{trace_.slices().tracks[row], is_call}].push_back(slice);
    }
    for (auto& [key, slices] : nests) {
      sort_by_nesting(trace_, slices);
      add_frames(slices);
    }
    return std::move(frames_);
  }

 private:
  static constexpr auto kUnknown = static_cast<std::size_t>(-1);

  // One number per name; numbers inside names are ignored.
  std::size_t loop_of(SliceId slice) {
    std::size_t& loop = loops_[trace_.slices().names[slice.index()].index()];
    if (loop == kUnknown) {
      loop = rows_.try_emplace(without_number(trace_.name(slice)), rows_.size()).first->second;
    }
    return loop;
  }

  void add_frames(const std::vector<SliceId>& slices) {
    struct Open {
      std::int64_t end_ns;
      std::size_t loop;
    };
    std::map<std::size_t, Frame> found;  // by loop
    std::vector<Open> open;
    for (const SliceId slice : slices) {
      while (!open.empty() && open.back().end_ns <= trace_.start_ns(slice)) open.pop_back();
      const std::size_t loop = loop_of(slice);
      if (std::ranges::find(open, loop, &Open::loop) == open.end()) {
        const auto [entry, is_new] = found.try_emplace(loop);
        Frame& frame = entry->second;
        frame.depth = is_new ? open.size() : std::min(frame.depth, open.size());
        frame.track = trace_.slices().tracks[slice.index()];
        frame.slices.push_back(slice);
      }
      open.push_back({trace_.end_ns(slice), loop});
    }
    for (auto& [loop, frame] : found) {
      if (frame.slices.size() >= kLeastRepetitions) frames_.push_back(std::move(frame));
    }
  }

  const Trace& trace_;
  std::vector<std::size_t> loops_;  // per string
  std::map<std::string, std::size_t> rows_;
  std::vector<Frame> frames_;
};

// A thread that only waits has a steady rhythm, too. The wanted loop feeds the device.
class Launches {
 public:
  explicit Launches(const Trace& trace) {
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      if (trace.kind(SliceId(row)) != SliceKind::kRuntimeCall) continue;
      starts_ns_[trace.slices().tracks[row]].push_back(trace.start_ns(SliceId(row)));
    }
    for (auto& [track, starts_ns] : starts_ns_) std::ranges::sort(starts_ns);
  }

  bool are_in(const Trace& trace, const Frame& frame) const {
    if (starts_ns_.empty()) return true;
    const auto found = starts_ns_.find(frame.track);
    if (found == starts_ns_.end()) return false;
    const auto launches = std::ranges::count_if(frame.slices, [&](SliceId slice) {
      const auto first = std::ranges::lower_bound(found->second, trace.start_ns(slice));
      return first != found->second.end() && *first < trace.end_ns(slice);
    });
    return static_cast<double>(launches) >=
           kLeastLaunching * static_cast<double>(frame.slices.size());
  }

 private:
  std::map<TrackId, std::vector<std::int64_t>> starts_ns_;
};

// A program may spend long in frames alone before its loop begins.
std::int64_t looked_at_ns(const Trace& trace) {
  const std::int64_t without_frames_ns = extent_without_frames(trace).length_ns();
  return without_frames_ns > 0 ? without_frames_ns : trace.extent().length_ns();
}

// 0 if it cannot be the loop; higher is better.
double score(const Trace& trace, std::int64_t whole_ns, const Frame& frame) {
  std::vector<double> durations;
  std::int64_t covered_ns = 0;
  for (const SliceId slice : frame.slices) {
    durations.push_back(static_cast<double>(trace.duration_ns(slice)));
    covered_ns += trace.duration_ns(slice);
  }
  const double coverage = static_cast<double>(covered_ns) / static_cast<double>(whole_ns);
  const double variation = variation_of(durations);
  if (coverage < kLeastCoverage || variation >= kMostVariation) return 0;
  return coverage * (1 - variation);
}

// From the start of one frame to the start of the next: work between them belongs to the loop.
CycleList frame_cycles(const Trace& trace, const Frame& frame) {
  CycleList list;
  list.method = CycleMethod::kHostFrame;
  list.confidence = CycleConfidence::kMedium;
  list.marker = without_number(trace.name(frame.slices[0]));
  list.process = trace.strings()[trace.track(frame.slices[0]).process];
  for (std::size_t i = 0; i < frame.slices.size(); ++i) {
    const SliceId slice = frame.slices[i];
    Cycle cycle;
    cycle.interval = trace.interval(slice);
    const bool is_last = i + 1 == frame.slices.size();
    if (!is_last) cycle.interval.end_ns = trace.start_ns(frame.slices[i + 1]);
    cycle.name = trace.name(slice);
    cycle.has_inferred_border = i == 0 || is_last;
    list.cycles.push_back(std::move(cycle));
  }
  list.marker_slices = frame.slices;
  std::ranges::sort(list.marker_slices);
  return list;
}

}  // namespace

Result<CycleList> cycles_by_host_frame(const Trace& trace) {
  const std::vector<Frame> frames = FrameFinder(trace).find();
  const Launches launches(trace);
  const Frame* best = nullptr;
  double best_score = 0;
  const std::int64_t whole_ns = looked_at_ns(trace);
  for (const Frame& frame : frames) {
    if (best != nullptr && frame.depth > best->depth) continue;
    const double own_score = score(trace, whole_ns, frame);
    if (own_score == 0 || !launches.are_in(trace, frame)) continue;
    if (best == nullptr || frame.depth < best->depth || own_score > best_score) {
      best = &frame;
      best_score = own_score;
    }
  }
  if (best == nullptr) {
    return Error{ErrorCode::kTooLittleData, "no host range recurs throughout the trace", "", ""};
  }
  return frame_cycles(trace, *best);
}

}  // namespace strobe::analysis
