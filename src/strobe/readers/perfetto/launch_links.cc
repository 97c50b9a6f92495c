#include "strobe/readers/perfetto/launch_links.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace strobe::readers::perfetto {

void LaunchLinks::join(TraceSink& sink) {
  SliceVectors& slices = sink.builder.slices();
  std::unordered_map<std::uint64_t, std::uint32_t> correlations;
  for (const Link& link : submits_) {
    // The rows of calls are numbers that no other call has.
    slices.correlations[link.row] = link.row + 1;
    correlations.try_emplace(link.number, link.row + 1);
  }
  std::unordered_map<std::uint64_t, std::uint32_t> rows;
  for (const Link& link : work_) {
    const auto call = correlations.find(link.number);
    if (call != correlations.end()) slices.correlations[link.row] = call->second;
    if (!waits_.empty()) rows.try_emplace(link.number, link.row);
  }
  FlowVectors& flows = sink.builder.flows();
  const CategoryId category =
      waits_.empty() ? CategoryId() : sink.builder.category("wait for device work");
  std::uint64_t id = 0;
  for (const Link& link : waits_) {
    const auto work = rows.find(link.number);
    if (work == rows.end()) continue;
    const auto add = [&](std::uint32_t row, std::int64_t time_ns, FlowPhase phase) {
      flows.times_ns.push_back(time_ns);
      flows.ids.push_back(id);
      flows.tracks.push_back(slices.tracks[row]);
      flows.categories.push_back(category);
      flows.phases.push_back(phase);
    };
    add(work->second, slices.starts_ns[work->second], FlowPhase::kStart);
    add(link.row, slices.starts_ns[link.row], FlowPhase::kEnd);
    ++id;
  }
}

void find_flow_phases(FlowVectors& flows) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) {
    return std::tuple(flows.ids[row], flows.times_ns[row]);
  });
  bool is_open = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    const bool is_new = i == 0 || flows.ids[order[i - 1]] != flows.ids[row];
    const bool is_last = i + 1 == order.size() || flows.ids[order[i + 1]] != flows.ids[row];
    const bool ends = flows.phases[row] == FlowPhase::kEnd;
    is_open = is_open && !is_new;
    if (!is_open) {
      flows.phases[row] = FlowPhase::kStart;
      is_open = true;
    } else {
      flows.phases[row] = ends || is_last ? FlowPhase::kEnd : FlowPhase::kStep;
      is_open = !ends;
    }
  }
}

}  // namespace strobe::readers::perfetto
