#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/cause_text.h"

namespace strobe::compare {

// Ranks that wait longer in collectives wait for one that does not.
void find_straggler(std::span<const Symptoms> ranks, std::vector<Cause>& causes) {
  if (ranks.size() < 2) return;
  std::vector<std::int32_t> waiting;
  std::vector<const Symptoms*> late;
  Change longest_wait;
  for (const Symptoms& rank : ranks) {
    std::vector<const FunctionRow*> collectives;
    for (const DeviceSymptoms& device : rank.devices) {
      collectives.insert(collectives.end(), device.collectives.begin(), device.collectives.end());
    }
    if (collectives.empty()) return;
    const Change wait_ms = total_ms(collectives);
    if (rose(wait_ms, 1.1)) {
      waiting.push_back(rank.rank);
      if (wait_ms.difference() > longest_wait.difference()) longest_wait = wait_ms;
    } else {
      late.push_back(&rank);
    }
  }
  if (waiting.empty() || late.empty() || late.size() > waiting.size()) return;
  std::vector<std::int32_t> names;
  Cause cause = {
      .kind = CauseKind::kStraggler,
      .score = 0.6,  // more if it can be seen what the late rank is busy with
      .headline = {},
      .evidence = {told(fmt::format("ranks {} wait longer in collectives, the others do not",
                                    fmt::join(waiting, ", "))),
                   told("the longest wait", longest_wait)},
      .against = {},
      .advice =
          "compare the ranks of the abnormal run with each other (strobe compare "
          "RUN), and look at that rank's device and host"};
  for (const Symptoms* rank : late) {
    names.push_back(rank->rank);
    for (const DeviceSymptoms& device : rank->devices) {
      if (!rose(device.kernel_ms, 1.03)) continue;
      cause.evidence.push_back(
          told(fmt::format("kernels of rank {}", rank->rank), device.kernel_ms));
      cause.score = 0.9;
    }
    for (const DeviceSymptoms& device : rank->devices) {
      if (!rose(device.row->idle_ms, 1.1)) continue;
      cause.evidence.push_back(
          told(fmt::format("rank {}'s device has nothing to do", rank->rank), device.row->idle_ms));
      cause.score = std::max(cause.score, 0.8);
    }
  }
  cause.headline = fmt::format("rank{} {} keep{} the others waiting", names.size() == 1 ? "" : "s",
                               fmt::join(names, ", "), names.size() == 1 ? "s" : "");
  causes.push_back(std::move(cause));
}

}  // namespace strobe::compare
