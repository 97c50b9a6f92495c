#include "strobe/analysis/tables/communication.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "strobe/analysis/launches/growing_union.h"

namespace strobe::analysis {
namespace {

bool starts_earlier(const Interval& a, const Interval& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns < b.end_ns;
}

// Sorts the list.
std::uint64_t count_distinct(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(), starts_earlier);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i == 0 || !(intervals[i] == intervals[i - 1])) ++count;
  }
  return count;
}

enum class Nearness : std::uint8_t { kOutside, kBelow, kItself };  // to a communication range

class HostCommunication {
 public:
  explicit HostCommunication(const AttributedTrace& input) : nearness_(input.tree.size()) {
    const OpTree& tree = input.tree;
    const auto& slices = input.trace.slices();
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const SliceId slice = tree.slices[i];
      if (!slice.valid()) continue;
      const SliceKind kind = slices.kinds[slice.index()];
      const bool communicates =
          kind == SliceKind::kCommunication ||
          (kind == SliceKind::kOperator && (slices.flags[slice.index()] & kCommunicates) != 0);
      if (communicates) {
        nearness_[i] = Nearness::kItself;
        ranges.push_back(input.trace.interval(slice));
      } else if (nearness_[tree.parents[i].index()] != Nearness::kOutside) {
        nearness_[i] = Nearness::kBelow;
      }
    }
  }
  Nearness nearness(NodeId node) const { return nearness_[node.index()]; }

  std::vector<Interval> ranges;

 private:
  std::vector<Nearness> nearness_;
};

}  // namespace

CommunicationTotals add_up_communication(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  HostCommunication host(input);
  std::vector<Interval> device_ranges;  // by start
  GrowingUnion computation;
  computation.reserve(works.size());
  for (const std::uint32_t work : works.time_order) {
    const SliceId slice = works.slices[work];
    if (slices.kinds[slice.index()] != SliceKind::kKernel) continue;
    if (works.is_orphan(work) || !input.counts_work(work)) continue;
    const Nearness nearness = host.nearness(works.owners[work]);
    const bool is_collective = (slices.flags[slice.index()] & kCommunicates) != 0;
    const Interval interval = input.trace.interval(slice);
    if (is_collective || nearness != Nearness::kOutside) device_ranges.push_back(interval);
    if (!is_collective && nearness != Nearness::kItself) computation.add(interval);
  }

  CommunicationTotals totals;
  totals.host_calls = count_distinct(host.ranges);
  totals.device_calls = count_distinct(device_ranges);
  const IntervalSet host_set = union_of(std::move(host.ranges));
  const IntervalSet device_set = union_of(std::move(device_ranges));
  const IntervalSet communication = union_of(host_set, device_set);
  totals.host_ns = total_ns(host_set);
  totals.device_ns = total_ns(device_set);
  totals.communication_ns = total_ns(communication);
  totals.computation_ns = total_ns(computation.set());
  totals.overlap_ns = total_ns(intersection_of(communication, computation.set()));
  return totals;
}

}  // namespace strobe::analysis
