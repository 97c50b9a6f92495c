#include "strobe/compare/measure/device_pace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/compare/measure/launched_work.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

using analysis::AttributedTrace;
using analysis::Cycle;

constexpr double kLeastLead = 0.1;  // of a cycle

// When the last work ended that was launched before the first cycle, in each of the cycles or in
// the time after it. INT64_MIN: there is none.
std::vector<std::int64_t> ends_of_work(const AttributedTrace& input,
                                       const std::vector<Cycle>& cycles) {
  std::vector<std::int64_t> ends_ns(cycles.size() + 1, INT64_MIN);
  KnownLaunches known;
  const auto& works = input.attribution.works;
  for (std::size_t work = 0; work < works.size(); ++work) {
    const analysis::CallId call = works.calls[work];
    known.count(call.valid());
    if (!call.valid()) continue;
    const std::int64_t launch_ns =
        input.trace.start_ns(input.attribution.calls.slices[call.index()]);
    const auto next = std::ranges::upper_bound(
        cycles, launch_ns, {}, [](const Cycle& cycle) { return cycle.interval.start_ns; });
    if (next == cycles.end() && launch_ns >= cycles.back().interval.end_ns) continue;
    std::int64_t& end_ns = ends_ns[static_cast<std::size_t>(next - cycles.begin())];
    end_ns = std::max(end_ns, input.trace.end_ns(works.slices[work]));
  }
  return known.are_enough() ? ends_ns : std::vector<std::int64_t>();
}

double median_lead_ns(const std::vector<Cycle>& cycles, const std::vector<std::int64_t>& ends_ns) {
  std::vector<double> leads_ns;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    leads_ns.push_back(static_cast<double>(ends_ns[i + 1] - cycles[i].interval.end_ns));
  }
  return stats::median_of(leads_ns);
}

double median_length_ns(const std::vector<Cycle>& cycles) {
  std::vector<double> lengths_ns;
  for (const Cycle& cycle : cycles) {
    lengths_ns.push_back(static_cast<double>(cycle.interval.length_ns()));
  }
  return stats::median_of(lengths_ns);
}

}  // namespace

bool is_cut_by_host(analysis::CycleMethod method) {
  using enum analysis::CycleMethod;
  return method == kMarker || method == kSteps || method == kHostFrame;
}

void follow_device(const AttributedTrace& input, analysis::CycleList& list) {
  std::vector<Cycle>& cycles = list.cycles;
  if (cycles.empty() || !is_cut_by_host(list.method)) return;
  std::vector<std::int64_t> ends_ns = ends_of_work(input, cycles);
  if (ends_ns.empty()) return;
  ends_ns.front() = std::max(ends_ns.front(), cycles.front().interval.start_ns);
  // Each cycle must end after the one before it.
  if (std::ranges::adjacent_find(ends_ns, std::ranges::greater_equal()) != ends_ns.end()) return;
  if (median_lead_ns(cycles, ends_ns) < kLeastLead * median_length_ns(cycles)) return;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    cycles[i].interval = {ends_ns[i], ends_ns[i + 1]};
  }
  list.clock = analysis::CycleClock::kDevice;
}

}  // namespace strobe::compare
