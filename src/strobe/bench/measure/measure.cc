#include "strobe/bench/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "strobe/bench/measure/summary.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

double last_clock(const SampleBlock& block) {
  return block.sm_mhz.empty() ? 0 : block.sm_mhz.back();
}

bool stands_still(double before_mhz, double now_mhz, double tolerance) {
  return std::abs(now_mhz - before_mhz) < tolerance * std::max(now_mhz, before_mhz);
}

// The state of one contender while it is measured.
struct Racer {
  Sampler* sampler = nullptr;
  ClockedSamples taken;
  double spent_ms = 0;
  std::string failure;
  bool is_out = false;  // failed or at a cap: no more turns
  bool is_done = false;
  std::size_t next_look = 0;  // number of samples at which is_enough() is called next

  std::size_t count() const { return taken.samples_us.size(); }
};

void fail(Racer& contender, std::string why) {
  contender.failure = std::move(why);
  contender.is_out = contender.is_done = true;
}

// The clocks are used only if every sample has one.
void keep(const SampleBlock& block, std::size_t index, ClockedSamples& taken) {
  taken.samples_us.push_back(block.samples_us[index]);
  if (block.sm_mhz.size() == block.samples_us.size()) taken.sm_mhz.push_back(block.sm_mhz[index]);
}

void take_turn(Racer& contender, TimeMode mode, const MeasureOptions& options) {
  const std::size_t room = options.stop.most_samples - contender.count();
  const double left_ms = std::max(1e-3, options.stop.most_ms - contender.spent_ms);
  const auto block = contender.sampler->sample({.mode = mode,
                                                .count = static_cast<int>(std::min<std::size_t>(
                                                    room, std::size_t(std::max(1, options.block)))),
                                                .budget_ms = std::min(left_ms, options.turn_ms)});
  if (!block) return fail(contender, what_and_hint(block.error()));
  std::size_t usable = 0;
  double measured_ms = 0;
  for (std::size_t i = 0; i < block->samples_us.size(); ++i) {
    if (!is_usable(block->samples_us[i])) continue;
    ++usable;
    keep(*block, i, contender.taken);
    measured_ms += block->samples_us[i] / 1000;
  }
  contender.spent_ms += std::max(measured_ms, block->spent_ms);
  if (usable == 0) fail(contender, "a turn gave no time that can be used");
}

class Measurement {
 public:
  Measurement(std::span<Sampler* const> samplers, TimeMode mode, const MeasureOptions& options)
      : mode_(mode), options_(options) {
    for (Sampler* sampler : samplers) contenders_.emplace_back().sampler = sampler;
  }

  void warm_up_all() {
    for (Racer& contender : contenders_) {
      const auto warmed = warm_up(*contender.sampler, mode_, options_.warm_up);
      if (!warmed) fail(contender, what_and_hint(warmed.error()));
    }
  }

  void take_turns() {
    Turns turns(contenders_.size(), options_.seed);
    while (!all([](const Racer& contender) { return contender.is_done; })) {
      for (const std::size_t index : turns.next_round()) {
        if (!contenders_[index].is_out) take_turn(contenders_[index], mode_, options_);
      }
      for (Racer& contender : contenders_) look_at(contender);
    }
  }

  std::vector<Measured> results() const {
    const double usual_mhz = usual();
    std::vector<Measured> results;
    for (const Racer& contender : contenders_) {
      Measured result;
      const KeptSamples kept = kept_of(contender, usual_mhz);
      result.summary = summarise(kept.samples_us);
      result.summary.set_aside = kept.set_aside;
      result.is_throttled = kept.is_throttled;
      result.is_noisy =
          !kept.samples_us.empty() && !is_precise(kept.samples_us, at_the_cap(options_.stop));
      result.failure = contender.failure;
      result.median_mhz = usual_clock({&contender.taken, 1});
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  template <class Claim>
  bool all(const Claim& claim) const {
    return std::all_of(contenders_.begin(), contenders_.end(), claim);
  }

  double usual() const {
    if (options_.usual_mhz > 0) return options_.usual_mhz;
    std::vector<ClockedSamples> taken;
    for (const Racer& contender : contenders_) taken.push_back(contender.taken);
    return usual_clock(taken);
  }

  KeptSamples kept_of(const Racer& contender, double usual_mhz) const {
    return set_throttled_aside(contender.taken, usual_mhz, options_.throttle_below,
                               options_.throttle_share);
  }

  // A check costs time proportional to the samples, so long series are checked less often.
  void look_at(Racer& contender) const {
    contender.is_out |= is_at_cap(contender.count(), contender.spent_ms, options_.stop);
    contender.is_done |= contender.is_out;
    if (contender.is_done || contender.count() < contender.next_look) return;
    contender.next_look = contender.count() + contender.count() / 16;
    contender.is_done = is_enough(kept_of(contender, usual()).samples_us, options_.stop);
  }

  TimeMode mode_;
  const MeasureOptions& options_;
  std::vector<Racer> contenders_;
};

constexpr std::size_t kLeastCalls = 8;
constexpr std::size_t kLeastBurst = 3;
constexpr double kLeastUs = 100'000;
constexpr double kBurstUs = 20'000;
constexpr double kAgreement = 0.01;
constexpr int kSustainedBlock = 16;

// The last two quarters of the calls agree: the time has settled.
bool has_settled(std::span<const double> samples_us) {
  const std::size_t quarter = samples_us.size() / 4;
  if (quarter == 0) return false;
  const double last = stats::median_of(samples_us.last(quarter));
  const double before = stats::median_of(samples_us.last(2 * quarter).first(quarter));
  return std::abs(last - before) <= kAgreement * before;
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
    if (block.samples_us.empty()) return done;  // the first turn will report it
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

std::vector<std::size_t> Turns::next_round() {
  std::vector<std::size_t> order(contenders_);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[dice_.below(left)]);
  }
  return order;
}

std::vector<Measured> measure(std::span<Sampler* const> contenders, TimeMode mode,
                              const MeasureOptions& options) {
  Measurement measurement(contenders, mode, options);
  measurement.warm_up_all();
  measurement.take_turns();
  return measurement.results();
}

std::optional<BurstAndSustained> burst_and_sustained(std::span<const double> back_to_back_us) {
  const double sum_us = std::accumulate(back_to_back_us.begin(), back_to_back_us.end(), 0.0);
  if (back_to_back_us.size() < kLeastCalls || sum_us < kLeastUs) return {};
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
    STROBE_TRY(const SampleBlock block, sampler.sample({.mode = mode,
                                                        .count = kSustainedBlock,
                                                        .budget_ms = options.most_ms - spent_ms}));
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
