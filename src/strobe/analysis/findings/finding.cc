#include "strobe/analysis/findings/finding.h"

#include <algorithm>
#include <utility>

#include "strobe/analysis/findings/finding_evidence.h"
#include "strobe/analysis/findings/finding_rules.h"

namespace strobe::analysis {

std::vector<Finding> find_in(const Trace& trace, const Summary& summary) {
  const Evidence evidence = gather_evidence(trace, summary);
  std::vector<Finding> findings;
  for (const FindingRule rule : finding_rules()) {
    if (std::optional<Finding> finding = rule(evidence)) findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.share > b.share;
  });
  return findings;
}

}  // namespace strobe::analysis
