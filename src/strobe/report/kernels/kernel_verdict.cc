#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/kernels/kernel_report.h"
#include "strobe/report/render/format.h"

namespace strobe::report {
namespace {

using analysis::KernelBound;
using analysis::KernelGroup;
using analysis::KernelGrouping;
using analysis::KernelStudy;

std::string time_sentence(const KernelStudy& study) {
  const auto& totals = study.totals;
  std::string text =
      fmt::format("{} {} {}", launches_text(totals.launches),
                  totals.launches == 1 ? "takes" : "take", duration_text(totals.latency_ns));
  if (!totals.headroom_ns()) {
    return text + "; without counters nothing tells what limits them.";
  }
  std::vector<std::string> clauses;
  if (totals.tensor_percent()) {
    clauses.push_back(fmt::format("the matrix pipe is busy for {} of it",
                                  percent_of_peak_text(totals.tensor_percent())));
  }
  if (totals.dram_percent()) {
    clauses.push_back(fmt::format("DRAM runs at {} of its peak rate",
                                  percent_of_peak_text(totals.dram_percent())));
  }
  return fmt::format("{}: {}.", text, fmt::join(clauses, ", "));
}

std::string_view bound_words(KernelBound bound) {
  switch (bound) {
    case KernelBound::kTensorBound:
      return "is limited by the matrix pipe";
    case KernelBound::kTensorLeaning:
      return "leans on the matrix pipe";
    case KernelBound::kDramBound:
      return "is limited by DRAM";
    case KernelBound::kDramLeaning:
      return "leans on DRAM";
    case KernelBound::kL2Bound:
      return "is limited by the L2 cache";
    case KernelBound::kLatencyBound:
      return "is limited by latency, with neither busy";
    default:
      return "has too few counters to tell";
  }
}

std::string limit_sentence(const KernelStudy& study) {
  const std::vector<KernelGroup> groups = analysis::group_kernels(study, KernelGrouping::kBound);
  std::vector<std::string> clauses;
  constexpr std::size_t kMost = 3;
  for (const KernelGroup& group : groups) {
    if (clauses.size() == kMost) break;
    clauses.push_back(fmt::format("{} {}{}", percent_text(group.sums.share_of(study.totals)),
                                  clauses.empty() ? "of the time " : "", bound_words(group.bound)));
  }
  return fmt::format("{}.", fmt::join(clauses, ", "));
}

std::string headroom_sentence(const KernelStudy& study) {
  const auto& totals = study.totals;
  const auto whole = static_cast<double>(std::max<std::int64_t>(totals.latency_ns, 1));
  const double most = totals.headroom_ns().value_or(0);
  const double achievable = totals.achievable_headroom_ns().value_or(0);
  const auto& roofs = study.options.roofs;
  const std::string reach = roofs.tensor == roofs.dram
                                ? fmt::format("{:g} % of each peak", 100 * roofs.dram)
                                : fmt::format("{:g} % of Tensor and {:g} % of DRAM",
                                              100 * roofs.tensor, 100 * roofs.dram);
  return fmt::format(
      "At most {} ({} of the time) could be won, with every kernel at the peak of its busier "
      "resource; {} ({}) with {}, which good kernels reach.",
      duration_text(std::llround(most)), percent_text(most / whole),
      duration_text(std::llround(achievable)), percent_text(achievable / whole), reach);
}

}  // namespace

std::vector<std::string> kernel_verdict(const KernelStudy& study) {
  std::vector<std::string> sentences = {time_sentence(study)};
  if (study.totals.headroom_ns()) {
    sentences.push_back(limit_sentence(study));
    sentences.push_back(headroom_sentence(study));
  }
  const bool has_advice =
      !study.findings.empty() && study.findings.front().weight != analysis::FindingWeight::kNote;
  if (has_advice) {
    sentences.push_back(fmt::format("First: {}.", study.findings.front().headline));
  }
  return sentences;
}

}  // namespace strobe::report
