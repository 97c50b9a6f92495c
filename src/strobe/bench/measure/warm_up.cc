#include "strobe/bench/measure/warm_up.h"

#include <algorithm>
#include <cmath>

#include "strobe/bench/measure/summary.h"

namespace strobe::bench {
namespace {

double last_clock(const SampleBlock& block) {
  return block.sm_mhz.empty() ? 0 : block.sm_mhz.back();
}

bool stands_still(double before_mhz, double now_mhz, double tolerance) {
  return std::abs(now_mhz - before_mhz) < tolerance * std::max(now_mhz, before_mhz);
}

}  // namespace

Result<WarmedUp> warm_up(Sampler& sampler, TimeMode mode, const WarmUp& rule) {
  WarmedUp done;
  double before_mhz = 0;
  while (true) {
    const bool is_spent = done.spent_ms >= rule.most_ms || done.calls >= rule.most_calls;
    const bool is_busy = done.calls >= rule.least_calls &&
                         (done.spent_ms >= rule.least_ms || done.calls >= rule.most_calls);
    if (is_busy && done.is_steady) return done;
    if (is_spent) return done;
    STROBE_TRY(const SampleBlock block,
               sampler.sample({.mode = mode,
                               .count = std::max(1, rule.least_calls),
                               .budget_ms = std::max(1.0, rule.most_ms - done.spent_ms),
                               .hold = false}));
    if (block.samples_us.empty()) return done;  // the first turn will say so
    done.calls += static_cast<int>(block.samples_us.size());
    double measured_ms = 0;
    for (const double sample : block.samples_us) {
      if (is_usable(sample)) measured_ms += sample / 1000;
    }
    done.spent_ms += std::max(measured_ms, block.spent_ms);
    const double now_mhz = last_clock(block);
    if (now_mhz > 0) done.is_steady = stands_still(before_mhz, now_mhz, rule.clock_tolerance);
    before_mhz = now_mhz;
  }
}

}  // namespace strobe::bench
