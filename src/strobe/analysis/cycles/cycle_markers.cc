#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "strobe/analysis/tables/name_filter.h"

namespace strobe::analysis {
namespace {

bool can_mark(SliceKind kind) {
  return is_tree_kind(kind) || kind == SliceKind::kPythonCall || kind == SliceKind::kOther;
}

// A trace may hold several processes, each with a loop of its own: the one whose markers last
// longest is the one that matters.
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

// Joins markers into cycles. Threads that repeat each other's markers make one cycle together; a
// marker inside another of its thread is no border; one that begins before the last of its thread
// has ended, as rounded times let it, ends that one.
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
  std::map<TrackId, std::int64_t> ends_ns_;  // of the open cycle: its markers, per track
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
  if (names.empty()) return "the trace has no annotations; names of operators match too";
  return fmt::format("the trace is annotated with '{}'", fmt::join(names, "', '"));
}

}  // namespace

std::string without_number(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return std::string(name);
  return std::string(name.substr(0, end + 1)) + "N";
}

Result<CycleList> cycles_by_marker(const Trace& trace, const std::string& pattern) {
  STROBE_TRY(const NameFilter matches, name_filter("--cycle", pattern));
  std::vector<int> answers(trace.strings().size(), -1);  // each name is asked once
  std::vector<SliceId> markers;
  bool has_length = false;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (!can_mark(trace.kind(slice)) || trace.track(slice).device) continue;
    int& answer = answers[trace.slices().names[row].index()];
    if (answer < 0) answer = matches(trace.name(slice)) ? 1 : 0;
    if (answer == 0) continue;
    markers.push_back(slice);
    has_length = has_length || trace.duration_ns(slice) > 0;
  }
  if (!has_length) {
    return Error{ErrorCode::kTooLittleData,
                 fmt::format("no range of the host matches '{}'", pattern), "--cycle",
                 known_annotations(trace)};
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

}  // namespace strobe::analysis
