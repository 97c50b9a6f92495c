#include "strobe/cli/run_findings.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

using analysis::Finding;

struct Worst {
  Finding finding;
  std::string rank;
  std::size_t ranks = 1;  // that have a finding of this kind
};

auto importance(const Finding& finding) { return std::tuple(finding.weight, finding.share); }

}  // namespace

std::vector<Finding> findings_of_run(const std::vector<report::RankInput>& ranks) {
  std::vector<Worst> worst;
  for (const report::RankInput& rank : ranks) {
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
  std::ranges::stable_sort(worst, [](const Worst& a, const Worst& b) {
    return importance(a.finding) > importance(b.finding);
  });
  std::vector<Finding> findings;
  for (Worst& one : worst) {
    const std::string others =
        one.ranks > 1 ? fmt::format(", the worst of {} alike", one.ranks) : std::string();
    one.finding.headline = fmt::format("{}{}: {}", one.rank, others, one.finding.headline);
    findings.push_back(std::move(one.finding));
  }
  return findings;
}

}  // namespace strobe::cli
