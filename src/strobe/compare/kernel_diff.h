#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::compare {

enum class KernelChange : std::uint8_t { kSame, kFaster, kSlower, kAdded, kRemoved, kUnsure };
std::string_view word_of(KernelChange change);

// One kernel name on both sides, matched by its detailed name and, where both lists have the same
// structure, by position.
struct KernelDiffRow {
  std::string name;
  std::string family;
  analysis::KernelSums before;
  analysis::KernelSums after;
  KernelChange change = KernelChange::kSame;
  std::optional<double> ratio;      // after / before of the mean latency
  std::optional<double> ratio_low;  // its 95 % interval, if both sides have launches enough
  std::optional<double> ratio_high;
  std::optional<double> p;
  std::int64_t moved_ns = 0;  // after - before, of the total
};

struct KernelDiff {
  analysis::KernelSums before;
  analysis::KernelSums after;
  std::vector<KernelDiffRow> rows;    // by the time they moved, most first
  std::vector<std::string> warnings;  // other chip, other clock, other metric set
  std::string verdict;                // one sentence
};

KernelDiff diff_kernels(const analysis::KernelStudy& before, const analysis::KernelStudy& after);

}  // namespace strobe::compare
