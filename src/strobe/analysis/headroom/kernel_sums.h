#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strobe::analysis {

// The contribution of one launch.
struct KernelSample {
  std::int64_t latency_ns = 0;
  std::optional<double> tensor_percent;
  std::optional<double> dram_percent;
};

// From this percentage on, the busier resource of a kernel limits it, or nearly does.
inline constexpr double kBoundPercent = 60;
inline constexpr double kLeaningPercent = 30;

// The share of a resource's peak that a kernel can reach at best: 1 is the peak itself.
struct Roofs {
  double tensor = 1;
  double dram = 1;
};

// Sums over launches; percentages are weighted by time, over the launches that have them. Sums of
// products stay whole numbers as long as the percentages are whole, so they are exact.
struct KernelSums {
  std::uint64_t launches = 0;
  std::int64_t latency_ns = 0;
  std::int64_t least_ns = 0;
  std::int64_t most_ns = 0;
  double tensor_ns_percent = 0;  // sum of latency x percent
  double dram_ns_percent = 0;
  double headroom_ns_percent = 0;      // latency x (100 - busier of the two)
  double achievable_ns_percent = 0;    // the same below the Roofs
  std::int64_t tensor_counted_ns = 0;  // time of the launches that have the number
  std::int64_t dram_counted_ns = 0;
  std::int64_t headroom_counted_ns = 0;  // of those whose limit is known

  void add(const KernelSample& sample, const Roofs& roofs = {});
  void add(const KernelSums& other);

  double mean_ns() const;
  std::optional<double> tensor_percent() const;
  std::optional<double> dram_percent() const;
  std::optional<double> headroom_ns() const;  // nothing if no launch has a counter
  std::optional<double> achievable_headroom_ns() const;
  double share_of(const KernelSums& whole) const;  // of its time, 0 to 1
  std::optional<double> headroom_share_of(const KernelSums& whole) const;
};

// The percentage of the busier resource of a launch, among those that were counted.
std::optional<double> busier_percent(const KernelSample& sample);
// Whether that is surely the limit: both were counted, or the counted one is busy enough.
bool is_limit_known(const KernelSample& sample);
// Time that would be saved if the launch ran at the roof of its busier resource; nothing if that is
// not known.
std::optional<double> headroom_ns(const KernelSample& sample, const Roofs& roofs = {});

// What limits a kernel.
enum class KernelBound : std::uint8_t {
  kTensorBound,
  kTensorLeaning,
  kDramBound,
  kDramLeaning,
  kL2Bound,
  kLatencyBound,
  kUnknown,  // too few counters to tell
  kCount_,
};
std::string_view word_of(KernelBound bound);  // "tensor-bound"

inline constexpr std::int64_t kShortNs = 10'000;  // below: ramp-up dominates the percentages
inline constexpr double kLowClockShare = 0.80;

// `l2_share`: bytes through the second-level cache against what it can do, if both are known.
KernelBound kernel_bound(const KernelSample& sample, std::optional<double> l2_share = {});

bool is_clock_low(double clock_hz, double most_clock_hz);  // 0: not known

}  // namespace strobe::analysis
