#include "strobe/analysis/health/health_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/launches/graph_captures.h"
#include "strobe/base/natural_sort.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"

namespace strobe::analysis {
namespace {

using device::LaunchedKind;

struct JudgedCalls {
  std::vector<SliceId> calls;     // by start
  std::vector<SliceId> launches;  // of them; may lack a correlation
};

JudgedCalls collect_judged(HealthEvidence& evidence) {
  const Trace& trace = evidence.trace;
  const auto& slices = trace.slices();
  OncePerName launched_by(trace.strings(), device::launched_kind);
  JudgedCalls collected;
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if ((slices.flags[row] & kUnfinished) != 0) {
      ++evidence.unfinished_slices;
      evidence.unfinished_steps += kind == SliceKind::kStep ? 1 : 0;
    }
    evidence.has_operators = evidence.has_operators || kind == SliceKind::kOperator;
    if (is_device_work(kind)) {
      evidence.works.push_back({SliceId(row), {}, false});
      evidence.device_ns += slices.durations_ns[row];
    } else if (kind == SliceKind::kRuntimeCall) {
      collected.calls.push_back(SliceId(row));
      const LaunchedKind launched = launched_by(slices.names[row]);
      if (launched == LaunchedKind::kKernel || launched == LaunchedKind::kGraph) {
        collected.launches.push_back(SliceId(row));
      }
    }
  }
  evidence.launch_calls = collected.launches.size();
  return collected;
}

void order_by_start(const Trace& trace, std::vector<SliceId>& slices) {
  natural_sort(slices, [&](SliceId a, SliceId b) { return trace.start_ns(a) < trace.start_ns(b); });
}

// The calls by correlation; of several with one, the last in the file comes last.
class CallIndex {
 public:
  CallIndex(const Trace& trace, const std::vector<SliceId>& calls) {
    entries_.reserve(calls.size());
    for (const SliceId call : calls) {
      const std::uint32_t id = trace.slices().correlations[call.index()];
      if (id != kNoLaunchId) entries_.emplace_back(id, call);
    }
    natural_sort(entries_, std::less<>());
  }
  SliceId find(std::uint32_t id) const {
    if (id == kNoLaunchId) return {};
    const auto after = std::upper_bound(
        entries_.begin(), entries_.end(), id,
        [](std::uint32_t wanted, const Entry& entry) { return wanted < entry.first; });
    return after != entries_.begin() && (after - 1)->first == id ? (after - 1)->second : SliceId();
  }

 private:
  using Entry = std::pair<std::uint32_t, SliceId>;
  std::vector<Entry> entries_;
};

// Where correlations do not tell, other evidence may.
void link_the_rest(HealthEvidence& evidence) {
  const bool are_all_linked =
      std::ranges::all_of(evidence.works, [](const JudgedWork& work) { return work.is_linked; });
  if (are_all_linked) return;
  const AttributedTrace attributed = attribute_trace(evidence.trace);
  std::vector<char> is_linked(evidence.trace.slice_count());
  const auto& works = attributed.attribution.works;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (!works.is_orphan(i)) is_linked[works.slices[i].index()] = 1;
  }
  for (JudgedWork& work : evidence.works) {
    work.is_linked = work.is_linked || is_linked[work.slice.index()] != 0;
  }
}

// Threads are judged one by one: `calls` by track, then by start.
template <class Judge>
void for_each_thread(const Trace& trace, const std::vector<SliceId>& calls, const Judge& judge) {
  const auto& tracks = trace.slices().tracks;
  for (std::size_t begin = 0; begin < calls.size();) {
    std::size_t end = begin;
    while (end < calls.size() && tracks[calls[end].index()] == tracks[calls[begin].index()]) ++end;
    judge(std::span(calls).subspan(begin, end - begin));
    begin = end;
  }
}

// Whether a call without work is around one that has some, or the other way round: both are one
// launch, seen by two layers of a vendor's software.
void find_calls_around(const Trace& trace, std::span<JudgedLaunch* const> launches) {
  for (std::size_t i = 0; i + 1 < launches.size(); ++i) {
    JudgedLaunch& outer = *launches[i];
    JudgedLaunch& inner = *launches[i + 1];
    if (trace.end_ns(inner.slice) > trace.end_ns(outer.slice)) continue;
    if (outer.works == 0 && inner.works > 0) outer.is_around = true;
    if (inner.works == 0 && (outer.works > 0 || outer.is_around)) inner.is_around = true;
  }
}

void mark_captured(const Trace& trace, const std::vector<SliceId>& calls,
                   const std::vector<std::uint32_t>& works_of_slices,
                   std::vector<char>& is_captured) {
  std::vector<std::uint32_t> works;
  for_each_thread(trace, calls, [&](std::span<const SliceId> own) {
    works.clear();
    for (const SliceId call : own) works.push_back(works_of_slices[call.index()]);
    for (const GraphCapture& capture : find_graph_captures(trace, own, works)) {
      for (const std::uint32_t call : capture.calls) is_captured[own[call].index()] = 1;
    }
  });
}

void list_launches(HealthEvidence& evidence, JudgedCalls& collected) {
  const Trace& trace = evidence.trace;
  const auto by_track = [&](SliceId a, SliceId b) {
    return trace.slices().tracks[a.index()] < trace.slices().tracks[b.index()];
  };
  std::vector<std::uint32_t> works(trace.slice_count());
  for (const JudgedWork& work : evidence.works) {
    if (work.call.valid()) ++works[work.call.index()];
  }
  std::vector<char> is_captured;
  if (has_graph_captures(trace, collected.calls)) {
    natural_sort(collected.calls, by_track);
    is_captured.resize(trace.slice_count());
    mark_captured(trace, collected.calls, works, is_captured);
  }
  OncePerName is_graph(trace.strings(), device::is_graph_launch);
  for (const SliceId call : collected.launches) {
    const std::size_t row = call.index();
    if (trace.slices().correlations[row] == kNoLaunchId) continue;
    evidence.launches.push_back({call, works[row], is_graph(trace.slices().names[row]),
                                 !is_captured.empty() && is_captured[row] != 0, false});
  }
  std::vector<JudgedLaunch*> threads;
  for (JudgedLaunch& launch : evidence.launches) threads.push_back(&launch);
  natural_sort(threads, [&](const JudgedLaunch* a, const JudgedLaunch* b) {
    return by_track(a->slice, b->slice);
  });
  find_calls_around(trace, threads);
}

}  // namespace

HealthEvidence::HealthEvidence(const Trace& the_trace, const ImportReport& the_import)
    : trace(the_trace), import(the_import), device(the_trace.traits().device_label) {
  JudgedCalls collected = collect_judged(*this);
  const CallIndex calls(trace, collected.calls);  // in file order
  order_by_start(trace, collected.calls);
  order_by_start(trace, collected.launches);
  natural_sort(works, [&](const JudgedWork& a, const JudgedWork& b) {
    return trace.start_ns(a.slice) < trace.start_ns(b.slice);
  });
  for (JudgedWork& work : works) {
    work.call = calls.find(trace.slices().correlations[work.slice.index()]);
    work.is_linked = work.call.valid();
  }
  link_the_rest(*this);
  linked = static_cast<std::uint64_t>(std::ranges::count_if(works, &JudgedWork::is_linked));
  list_launches(*this, collected);
  steps = list_steps(trace);
}

void JudgedPart::add(const Trace& trace, SliceId slice) {
  end_ns = count == 0 ? trace.end_ns(slice) : std::max(end_ns, trace.end_ns(slice));
  ++count;
  device_ns += trace.duration_ns(slice);
}

std::string part_of_text(std::uint64_t count, std::uint64_t of, std::string_view nouns) {
  const double share = of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  return fmt::format("{} of {} {} ({})", count_text(count), count_text(of), nouns,
                     percent_text(share));
}

std::string device_time_text(const HealthEvidence& evidence, std::int64_t part_ns) {
  const double share = evidence.device_ns == 0
                           ? 0
                           : static_cast<double>(part_ns) / static_cast<double>(evidence.device_ns);
  return fmt::format("{} ({} of all time on the {})", duration_text(part_ns), percent_text(share),
                     evidence.device);
}

}  // namespace strobe::analysis
