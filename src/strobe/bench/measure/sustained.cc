#include "strobe/bench/measure/sustained.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strobe/bench/measure/summary.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kLeastCalls = 8;
constexpr std::size_t kLeastBurst = 3;
constexpr double kLeastUs = 100'000;
constexpr double kBurstUs = 20'000;
constexpr double kAgreement = 0.01;
constexpr int kBlock = 16;

double sum_of(std::span<const double> samples_us) {
  double sum = 0;
  for (const double sample : samples_us) sum += sample;
  return sum;
}

// The third quarter of the calls is no faster or slower than the last: it has settled.
bool has_settled(std::span<const double> samples_us) {
  const std::size_t quarter = samples_us.size() / 4;
  if (quarter == 0) return false;
  const double last = stats::median_of(samples_us.last(quarter));
  const double before = stats::median_of(samples_us.last(2 * quarter).first(quarter));
  return std::abs(last - before) <= kAgreement * before;
}

}  // namespace

std::optional<BurstAndSustained> burst_and_sustained(std::span<const double> back_to_back_us) {
  if (back_to_back_us.size() < kLeastCalls || sum_of(back_to_back_us) < kLeastUs) return {};
  if (stats::median_of(back_to_back_us) < kSustainedFromUs) return {};
  std::size_t burst = 0;
  double spent_us = 0;
  while (burst < back_to_back_us.size() && (burst < kLeastBurst || spent_us < kBurstUs)) {
    spent_us += back_to_back_us[burst];
    ++burst;
  }
  return BurstAndSustained{
      stats::median_of(back_to_back_us.first(burst)),
      stats::median_of(back_to_back_us.last((back_to_back_us.size() + 1) / 2))};
}

Result<std::optional<BurstAndSustained>> measure_sustained(Sampler& sampler, TimeMode mode,
                                                           const SustainedOptions& options) {
  std::vector<double> samples_us;
  double spent_ms = 0;
  while (spent_ms < options.most_ms) {
    STROBE_TRY(
        const SampleBlock block,
        sampler.sample({.mode = mode, .count = kBlock, .budget_ms = options.most_ms - spent_ms}));
    const std::size_t before = samples_us.size();
    double measured_ms = 0;
    for (const double sample : block.samples_us) {
      if (!is_usable(sample)) continue;
      samples_us.push_back(sample);
      measured_ms += sample / 1000;
    }
    spent_ms += std::max(measured_ms, block.spent_ms);
    if (samples_us.size() == before) break;
    if (stats::median_of(samples_us) < kSustainedFromUs) break;
    if (spent_ms >= options.least_ms && has_settled(samples_us)) break;
  }
  return burst_and_sustained(samples_us);
}

}  // namespace strobe::bench
