#include "strobe/analysis/health/health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "strobe/analysis/health/health_evidence.h"
#include "strobe/analysis/health/health_rules.h"
#include "strobe/analysis/health/rank_health.h"

namespace strobe::analysis {
namespace {

auto importance(const HealthRemark& remark) { return std::tuple(remark.verdict, remark.share()); }

Health health_of(std::vector<HealthRemark> remarks) {
  std::ranges::stable_sort(remarks, [](const HealthRemark& a, const HealthRemark& b) {
    return importance(a) > importance(b);
  });
  Health health;
  if (!remarks.empty()) health.verdict = remarks.front().verdict;
  health.remarks = std::move(remarks);
  return health;
}

// One remark per code: that of the rank in which it is worst, with the names of all.
void add_of_rank(const std::string& rank, HealthRemark remark, std::vector<HealthRemark>& remarks) {
  const auto same = std::ranges::find(remarks, remark.code, &HealthRemark::code);
  if (same == remarks.end()) {
    remark.ranks = {rank};
    remarks.push_back(std::move(remark));
  } else if (importance(remark) > importance(*same)) {
    remark.ranks = std::move(same->ranks);
    remark.ranks.insert(remark.ranks.begin(), rank);
    *same = std::move(remark);
  } else {
    same->ranks.push_back(rank);
  }
}

void name_ranks(std::vector<HealthRemark>& remarks) {
  for (HealthRemark& remark : remarks) {
    const std::size_t ranks = remark.ranks.size();
    const std::string among = ranks < 2 ? "" : fmt::format(", the worst of {} ranks", ranks);
    remark.seen = fmt::format("{}{}: {}", remark.ranks.front(), among, remark.seen);
  }
}

}  // namespace

std::string_view word_of(HealthVerdict verdict) {
  switch (verdict) {
    case HealthVerdict::kComplete:
      return "complete";
    case HealthVerdict::kUsable:
      return "usable";
    case HealthVerdict::kNotFor:
      return "not_for";
  }
  return "";
}

std::string verdict_text(const Health& health) {
  if (health.verdict == HealthVerdict::kComplete) return "complete";
  if (health.verdict == HealthVerdict::kUsable) return "usable, but not complete";
  std::vector<std::string> questions;
  for (const HealthRemark& remark : health.remarks) {
    if (remark.verdict != HealthVerdict::kNotFor) continue;
    if (std::ranges::find(questions, remark.not_for) == questions.end()) {
      questions.push_back(remark.not_for);
    }
  }
  return fmt::format("not for {}", fmt::join(questions, " and "));
}

Health judge_health(const Trace& trace, const ImportReport& import) {
  const HealthEvidence evidence(trace, import);
  std::vector<HealthRemark> remarks;
  for (const auto rules : {launch_health_rules(), loss_health_rules(), time_health_rules()}) {
    for (const HealthRule rule : rules) {
      if (auto seen = rule(evidence)) remarks.push_back(std::move(*seen));
    }
  }
  return health_of(std::move(remarks));
}

Health judge_health(std::span<const RankHealthInput> ranks) {
  if (ranks.size() == 1) return judge_health(*ranks[0].trace, *ranks[0].import);
  std::vector<HealthRemark> remarks;
  for (const RankHealthInput& rank : ranks) {
    for (HealthRemark& remark : judge_health(*rank.trace, *rank.import).remarks) {
      add_of_rank(rank.name, std::move(remark), remarks);
    }
  }
  name_ranks(remarks);
  std::ranges::move(judge_ranks_together(ranks), std::back_inserter(remarks));
  return health_of(std::move(remarks));
}

}  // namespace strobe::analysis
