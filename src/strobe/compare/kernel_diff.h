#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"

namespace strobe::compare {

// Launches of one name that do the same work on both sides, as far as known.
struct KernelStratum {
  std::vector<double> before_ns;  // in order of launch
  std::vector<double> after_ns;
};

struct KernelPair {
  std::string name;
  std::string family;
  analysis::KernelSums before;
  analysis::KernelSums after;
  std::vector<KernelStratum> strata;  // by shape, else by position, else one for all
};

// One per name of either side, in order of first appearance: before, then names only in `after`.
std::vector<KernelPair> pair_kernels(const analysis::KernelStudy& before,
                                     const analysis::KernelStudy& after);

enum class KernelChange : std::uint8_t { kSame, kFaster, kSlower, kAdded, kRemoved, kUnsure };
std::string_view word_of(KernelChange change);  // "same", "faster", ..., "unclear"

// One kernel name on both sides, matched by its detailed name, or by short names if a side has only
// those. Launches of one name are compared with those of the same shape or, if both lists have the
// same layers, of the same position: a name covers kernels of very different length.
struct KernelDiffRow {
  std::string name;
  std::string family;
  analysis::KernelSums before;
  analysis::KernelSums after;
  KernelChange change = KernelChange::kSame;
  std::optional<double> ratio;  // after / before of the mean latency
  // The 95 % interval of how much longer a typical launch takes, if both sides have enough
  // launches.
  std::optional<double> ratio_low;
  std::optional<double> ratio_high;
  std::optional<double> p;
  std::int64_t moved_ns = 0;            // after - before, of the total
  std::optional<double> q;              // p, adjusted for as many tests as there are names
  std::optional<double> typical_ratio;  // of a launch; the middle of the interval
  std::string note;                     // why it is unclear, what else is odd
};

struct KernelDiff {
  analysis::KernelSums before;
  analysis::KernelSums after;
  std::vector<KernelDiffRow> rows;    // by the time they changed, most first
  std::vector<std::string> warnings;  // other chip, other clock, other metric set
  std::string verdict;                // one sentence

  std::size_t count(KernelChange change) const;
};

// A smaller change is not reported, however certain it is.
inline constexpr double kKernelTolerance = 0.01;
inline constexpr std::size_t kLeastKernelLaunches = 5;

KernelDiff diff_kernels(const analysis::KernelStudy& before, const analysis::KernelStudy& after);

}  // namespace strobe::compare
