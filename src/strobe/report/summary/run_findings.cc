#include "strobe/report/summary/run_findings.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "strobe/analysis/tables/straggler.h"

namespace strobe::report {
namespace {

using analysis::Finding;

struct Worst {
  Finding finding;
  std::string rank;
  std::size_t ranks = 1;  // that have a finding of this kind
};

auto importance(const Finding& finding) { return std::tuple(finding.weight, finding.share); }

std::optional<Finding> straggler_of(const std::vector<RankInput>& ranks) {
  std::vector<analysis::RankSummary> summaries;
  for (const RankInput& rank : ranks) {
    if (rank.summary != nullptr) summaries.push_back({rank.name, rank.summary});
  }
  return analysis::find_straggler(summaries);
}

}  // namespace

std::vector<Finding> findings_of_run(const std::vector<RankInput>& ranks) {
  std::vector<Worst> worst;
  for (const RankInput& rank : ranks) {
    for (const Finding& finding : rank.findings) {
      const auto same = std::ranges::find_if(
          worst, [&](const Worst& known) { return known.finding.code == finding.code; });
      if (same == worst.end()) {
        worst.push_back({finding, rank.name});
        continue;
      }
      ++same->ranks;
      if (importance(finding) > importance(same->finding)) {
        same->finding = finding;
        same->rank = rank.name;
      }
    }
  }
  std::vector<Finding> findings;
  for (Worst& one : worst) {
    const std::string others =
        one.ranks > 1 ? fmt::format(", the worst of {} alike", one.ranks) : std::string();
    one.finding.headline = fmt::format("{}{}: {}", one.rank, others, one.finding.headline);
    findings.push_back(std::move(one.finding));
  }
  std::ranges::stable_sort(
      findings, [](const Finding& a, const Finding& b) { return importance(a) > importance(b); });
  // What the other ranks show as communication may be waiting for this one: the cause goes first.
  if (auto straggler = straggler_of(ranks)) {
    const auto place = std::ranges::find_if(
        findings, [&](const Finding& finding) { return finding.weight <= straggler->weight; });
    findings.insert(place, std::move(*straggler));
  }
  return findings;
}

}  // namespace strobe::report
