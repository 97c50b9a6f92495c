#include "strobe/bench/judge/kernel_signature.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/device/gemm_name.h"
#include "strobe/device/kernel_name.h"

namespace strobe::bench {
namespace {

bool is_generated(const KernelLaunch& kernel) {
  return kernel.name.starts_with("triton_") || kernel.name.starts_with("strobe_");
}

// These providers run a library's kernels by design.
bool calls_a_library(std::string_view provider) {
  return provider == "torch-eager" || provider.starts_with("torch-sdpa-") ||
         provider == "cublaslt" || provider == "cudnn";
}

std::string signature_in(const CellRecord& record) {
  return record.signature.empty() ? signature_of(record.kernels) : record.signature;
}

std::multiset<std::string> names_of(const CellRecord& record) {
  std::multiset<std::string> names;
  for (const KernelLaunch& kernel : record.kernels) names.insert(device::detail_name(kernel.name));
  return names;
}

std::set<std::string> precisions_of(const CellRecord& record) {
  std::set<std::string> precisions;
  for (const KernelLaunch& kernel : record.kernels) {
    const auto gemm = device::gemm_name(kernel.name);
    if (gemm && !gemm->data_type.empty()) precisions.insert(gemm->data_type);
  }
  return precisions;
}

void set_with_note(CellRecord& record, CellFlag flag, bool holds, const std::string& note) {
  if (!holds) return;
  record.set(flag);
  if (std::ranges::find(record.notes, note) == record.notes.end()) record.notes.push_back(note);
}

}  // namespace

std::string signature_of(std::span<const KernelLaunch> kernels) {
  std::vector<std::string> parts;
  for (const KernelLaunch& kernel : kernels) {
    parts.push_back(fmt::format("{} {} {}", device::detail_name(kernel.name),
                                fmt::join(kernel.grid, "x"), fmt::join(kernel.block, "x")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool ran_the_same(const CellRecord& baseline, const CellRecord& contender) {
  const std::string signature = signature_in(contender);
  return !signature.empty() && signature == signature_in(baseline);
}

bool fell_back(const CellRecord& baseline, const CellRecord& contender) {
  if (baseline.kernels.empty() || calls_a_library(contender.cell.provider) ||
      std::ranges::any_of(contender.kernels, is_generated)) {
    return false;
  }
  return std::ranges::includes(names_of(contender), names_of(baseline));
}

std::string math_difference(const CellRecord& baseline, const CellRecord& contender) {
  const std::set<std::string> theirs = precisions_of(baseline);
  const std::set<std::string> ours = precisions_of(contender);
  if (ours.empty() || theirs.empty() || ours == theirs) return "";
  return fmt::format("{} against {}", fmt::join(ours, "+"), fmt::join(theirs, "+"));
}

void judge_pair(const CellRecord& baseline, CellRecord& contender) {
  const std::string& name = baseline.cell.provider;
  set_with_note(contender, CellFlag::kSameKernels, ran_the_same(baseline, contender),
                fmt::format("ran the kernels of {}", name));
  set_with_note(contender, CellFlag::kFellBack, fell_back(baseline, contender),
                fmt::format("fell back to {}: no generated kernel among its own", name));
  const std::string difference = math_difference(baseline, contender);
  set_with_note(contender, CellFlag::kMathDiffers, !difference.empty(),
                fmt::format("math-mode differs from {}: {}", name, difference));
}

}  // namespace strobe::bench
