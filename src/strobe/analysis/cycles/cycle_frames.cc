#include <algorithm>
#include <map>
#include <utility>

#include "strobe/analysis/cycles/cycle_methods.h"

namespace strobe::analysis {
namespace {

constexpr double kLeastCoverage = 0.8;
constexpr double kLeastLaunching = 0.5;

// Ranges of one thread that carry the same name, numbers aside, none inside another.
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

  // One number per name, numbers aside.
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

// A thread that only waits does so in a steady rhythm too. The loop we look for feeds the device.
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

// 0 if it cannot be the loop, else the better the larger.
double score(const Trace& trace, const Frame& frame) {
  std::vector<double> durations;
  std::int64_t covered_ns = 0;
  for (const SliceId slice : frame.slices) {
    durations.push_back(static_cast<double>(trace.duration_ns(slice)));
    covered_ns += trace.duration_ns(slice);
  }
  const double coverage =
      static_cast<double>(covered_ns) / static_cast<double>(trace.extent().length_ns());
  const double variation = variation_of(durations);
  if (coverage < kLeastCoverage || variation >= kMostVariation) return 0;
  return coverage * (1 - variation);
}

// From the beginning of one frame to that of the next: what lies between them belongs to the loop.
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
  for (const Frame& frame : frames) {
    if (best != nullptr && frame.depth > best->depth) continue;
    const double own_score = score(trace, frame);
    if (own_score == 0 || !launches.are_in(trace, frame)) continue;
    if (best == nullptr || frame.depth < best->depth || own_score > best_score) {
      best = &frame;
      best_score = own_score;
    }
  }
  if (best == nullptr) {
    return Error{ErrorCode::kTooLittleData, "no range of the host recurs through the trace", "",
                 ""};
  }
  return frame_cycles(trace, *best);
}

}  // namespace strobe::analysis
