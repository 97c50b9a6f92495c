#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/base/text.h"

namespace strobe::analysis {

std::int64_t own_step_ns(const Summary& summary) {
  if (summary.steps.empty()) return 0;
  std::int64_t own_ns = 0;
  const std::span<const StepRow> steps = steady_steps(summary);
  for (const StepRow& step : steps) {
    own_ns += step.interval.length_ns() -
              step.label_ns[static_cast<std::size_t>(StepLabel::kCommunication)];
  }
  return own_ns / static_cast<std::int64_t>(steps.size());
}

namespace {

constexpr double kClearlyMoreWork = 1.1;
constexpr std::size_t kMostNamedRanks = 4;
constexpr std::string_view kLookAtRank =
    "compare its tables with those of another rank; look for an uneven batch, a busy host or a "
    "slower device";
constexpr std::string_view kLookAtRanks =
    "compare their tables with those of another rank; look for an uneven batch, a busy host or a "
    "slower device";

std::vector<std::int64_t> own_works_ns(const std::vector<RankSummary>& ranks) {
  std::vector<std::int64_t> own_ns;
  own_ns.reserve(ranks.size());
  for (const RankSummary& rank : ranks) own_ns.push_back(own_step_ns(*rank.summary));
  return own_ns;
}

std::int64_t lower_median_ns(std::vector<std::int64_t> values_ns) {
  std::sort(values_ns.begin(), values_ns.end());
  return values_ns[(values_ns.size() - 1) / 2];
}

std::string_view per_step_text(const Summary& summary) {
  if (!summary.has_steps) return "in its trace";
  return summary.cycles ? "per cycle" : "per step";
}

// "32 of 84 collectives (the others waited 41.0 ms in all, 3.10 ms at most)"
std::string how_late(const RankLateness& rank) {
  return fmt::format("{} of {} (the others waited {} in all, {} at most)", count_text(rank.last),
                     counted(rank.collectives, "collective"), duration_text(rank.others_waited_ns),
                     duration_text(rank.longest_ns));
}

std::string late_headline(const std::vector<RankSummary>& ranks, const Lateness& lateness,
                          const std::vector<std::size_t>& late) {
  std::string headline = late.size() == 1
                             ? "one rank keeps the others waiting: "
                             : fmt::format("{} ranks keep the others waiting: ", late.size());
  const std::size_t named = std::min(late.size(), kMostNamedRanks);
  for (std::size_t i = 0; i < named; ++i) {
    headline += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", ranks[late[i]].name,
                            i == 0 ? "comes last in" : "in", how_late(lateness.ranks[late[i]]));
  }
  if (named < late.size()) headline += fmt::format(", and {} more", late.size() - named);
  return headline;
}

// A late rank with no more work than the others is late for another reason.
std::vector<std::string> unloaded_ranks(const std::vector<RankSummary>& ranks,
                                        const std::vector<std::size_t>& late) {
  const std::vector<std::int64_t> own_ns = own_works_ns(ranks);
  const double limit_ns = kClearlyMoreWork * static_cast<double>(lower_median_ns(own_ns));
  std::vector<std::string> names;
  for (const std::size_t rank : late) {
    const bool is_loaded = static_cast<double>(own_ns[rank]) >= limit_ns;
    if (own_ns[rank] > 0 && !is_loaded) names.push_back(ranks[rank].name);
  }
  return names;
}

// Findings that make a rank come late, not those that it has because others do.
constexpr std::array kDelays = std::to_array<std::string_view>({
    "device_waits_for_data",
    "blocking_call",
    "idle_in_host_code",
    "host_stalls",
    "work_without_launches",
    "device_idle_host_bound",
    "queue_drained",
    "launched_work_waits",
    "idle_mostly_one_cause",
    "copies_dominate",
    "profiler_overhead",
    "blocking_launches",
});

bool may_delay(const Finding& finding) {
  return finding.weight >= FindingWeight::kWorthALook &&
         std::find(kDelays.begin(), kDelays.end(), finding.code) != kDelays.end();
}

// The largest share of this finding on the ranks that are in time.
double share_in_time(const std::vector<RankSummary>& ranks, const std::vector<std::size_t>& late,
                     const std::string& code) {
  double largest = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const bool is_late = std::find(late.begin(), late.end(), rank) != late.end();
    if (is_late || ranks[rank].findings == nullptr) continue;
    for (const Finding& finding : *ranks[rank].findings) {
      if (finding.code == code) largest = std::max(largest, finding.share);
    }
  }
  return largest;
}

// The most important finding of a late rank that ranks in time have not, or clearly less.
const Finding* likely_reason(const std::vector<RankSummary>& ranks,
                             const std::vector<std::size_t>& late, std::size_t rank) {
  constexpr double kClearlyMore = 0.05;
  if (ranks[rank].findings == nullptr) return nullptr;
  for (const Finding& finding : *ranks[rank].findings) {
    if (!may_delay(finding)) continue;
    if (finding.share >= share_in_time(ranks, late, finding.code) + kClearlyMore) return &finding;
  }
  return nullptr;
}

// The advice is that for the first one.
void name_reasons(const std::vector<RankSummary>& ranks, const std::vector<std::size_t>& late,
                  Finding& finding) {
  constexpr std::size_t kMostReasons = 2;
  std::size_t named = 0;
  for (const std::size_t rank : late) {
    const Finding* reason = likely_reason(ranks, late, rank);
    if (reason == nullptr || named == kMostReasons) continue;
    finding.headline +=
        fmt::format("; likely reason on {}: {}", ranks[rank].name, reason->headline);
    if (named == 0 && !reason->advice.empty()) {
      finding.advice = fmt::format("on {}: {}", ranks[rank].name, reason->advice);
    }
    ++named;
  }
}

}  // namespace

std::optional<Finding> find_straggler(const std::vector<RankSummary>& ranks) {
  if (ranks.size() < 2) return {};
  const std::vector<std::int64_t> own_ns = own_works_ns(ranks);
  const auto most = std::max_element(own_ns.begin(), own_ns.end());
  const RankSummary& slowest = ranks[static_cast<std::size_t>(most - own_ns.begin())];
  const auto slowest_ns = static_cast<double>(*most);
  const auto median_ns = static_cast<double>(lower_median_ns(own_ns));
  if (median_ns <= 0 || slowest_ns < kClearlyMoreWork * median_ns) return {};
  const double share = (slowest_ns - median_ns) / slowest_ns;
  const bool others_wait = std::any_of(ranks.begin(), ranks.end(), [](const RankSummary& rank) {
    return rank.summary->has_communication;
  });
  Finding finding{
      "straggling_rank", share >= 0.15 ? FindingWeight::kMatters : FindingWeight::kWorthALook,
      share,
      fmt::format("{} {}: {} of own time {}, {:.2f} times the median rank with {}", slowest.name,
                  others_wait ? "keeps the others waiting" : "is the slowest",
                  mean_duration_text(slowest_ns), per_step_text(*slowest.summary),
                  slowest_ns / median_ns, mean_duration_text(median_ns)),
      std::string(kLookAtRank)};
  name_reasons(ranks, {static_cast<std::size_t>(most - own_ns.begin())}, finding);
  return finding;
}

std::vector<Finding> find_late_ranks(const std::vector<RankSummary>& ranks,
                                     const Lateness& lateness) {
  if (lateness.ranks.size() != ranks.size()) return {};
  const std::vector<std::size_t> late = late_ranks(lateness);
  if (late.empty()) return {};
  std::int64_t waited_ns = 0;
  for (const std::size_t rank : late) waited_ns += lateness.ranks[rank].others_waited_ns;
  const double share = std::min(1.0, ratio_ns(waited_ns, lateness.span_ns));
  Finding finding{
      "late_ranks", weight_of(share, 0.1), share,
      fmt::format("{}; {} {} of the longest rank's {}", late_headline(ranks, lateness, late),
                  late.size() == 1 ? "that is" : "together", share_text(share),
                  duration_text(lateness.span_ns)),
      std::string(late.size() == 1 ? kLookAtRank : kLookAtRanks)};
  name_reasons(ranks, late, finding);
  const std::vector<std::string> unloaded = unloaded_ranks(ranks, late);
  // Collectives on the host are part of a step's own time, so it says nothing about the work there.
  if (!unloaded.empty() && !lateness.on_host) {
    finding.against.push_back(
        fmt::format("{} {} hardly more own time {} than the median rank: look at what comes right "
                    "before the collectives",
                    fmt::join(unloaded, ", "), unloaded.size() == 1 ? "has" : "have",
                    per_step_text(*ranks[late.front()].summary)));
  }
  if (lateness.clocks_differ) {
    finding.against.push_back(
        "the clocks of the ranks differ: the rank with the shortest kernel counts as the last");
  }
  return {finding};
}

}  // namespace strobe::analysis
