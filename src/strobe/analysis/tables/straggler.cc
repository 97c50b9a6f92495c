#include "strobe/analysis/tables/straggler.h"

#include <fmt/format.h>

#include <algorithm>

#include "strobe/analysis/findings/finding_text.h"

namespace strobe::analysis {

std::int64_t own_step_ns(const Summary& summary) {
  if (summary.steps.empty()) return 0;
  std::int64_t own_ns = 0;
  for (const StepRow& step : summary.steps) {
    own_ns += step.interval.length_ns() -
              step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)];
  }
  return own_ns / static_cast<std::int64_t>(summary.steps.size());
}

std::optional<Finding> find_straggler(const std::vector<RankSummary>& ranks) {
  constexpr double kClearly = 1.1;
  if (ranks.size() < 2) return {};
  std::vector<std::int64_t> own_ns;
  for (const RankSummary& rank : ranks) own_ns.push_back(own_step_ns(*rank.summary));
  const auto most = std::max_element(own_ns.begin(), own_ns.end());
  const RankSummary& slowest = ranks[static_cast<std::size_t>(most - own_ns.begin())];
  const auto slowest_ns = static_cast<double>(*most);
  std::sort(own_ns.begin(), own_ns.end());
  const auto median_ns = static_cast<double>(own_ns[(own_ns.size() - 1) / 2]);
  if (median_ns <= 0 || slowest_ns < kClearly * median_ns) return {};
  const double share = (slowest_ns - median_ns) / slowest_ns;
  const bool others_wait = std::any_of(ranks.begin(), ranks.end(), [](const RankSummary& rank) {
    return rank.summary->has_communication;
  });
  const std::string whole = slowest.summary->has_steps ? "per step" : "in its trace";
  return Finding{
      "straggling_rank", share >= 0.15 ? FindingWeight::kMatters : FindingWeight::kWorthALook,
      share,
      fmt::format("{} {}: {} of its own work {}, {:.2f} times the median rank with {}",
                  slowest.name, others_wait ? "keeps the others waiting" : "is the slowest",
                  time_text(slowest_ns), whole, slowest_ns / median_ns, time_text(median_ns)),
      "compare its tables with another rank's: an uneven batch, a busy host, a slower "
      "device?"};
}

}  // namespace strobe::analysis
