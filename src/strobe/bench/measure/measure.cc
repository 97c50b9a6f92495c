#include "strobe/bench/measure/measure.h"

#include <algorithm>
#include <cmath>

#include "strobe/bench/measure/throttle.h"
#include "strobe/bench/measure/turns.h"

namespace strobe::bench {
namespace {

// One contender while it is measured.
struct Contender {
  Sampler* sampler = nullptr;
  ClockedSamples taken;
  double spent_ms = 0;
  std::string failure;
  bool is_out = false;  // failed or at a cap: no more turns
  bool is_done = false;
  std::size_t next_look = 0;  // samples at which to ask again whether they are enough

  std::size_t count() const { return taken.samples_us.size(); }
};

std::string failure_text(const Error& error) {
  return error.hint.empty() ? error.what : error.what + "; " + error.hint;
}

void fail(Contender& contender, std::string why) {
  contender.failure = std::move(why);
  contender.is_out = contender.is_done = true;
}

// The clocks count only as long as every sample has one.
void keep(const SampleBlock& block, std::size_t index, ClockedSamples& taken) {
  taken.samples_us.push_back(block.samples_us[index]);
  if (block.sm_mhz.size() == block.samples_us.size()) taken.sm_mhz.push_back(block.sm_mhz[index]);
}

void take_turn(Contender& contender, TimeMode mode, const MeasureOptions& options) {
  const std::size_t room = options.stop.most_samples - contender.count();
  const double left_ms = std::max(1e-3, options.stop.most_ms - contender.spent_ms);
  const auto block = contender.sampler->sample({.mode = mode,
                                                .count = static_cast<int>(std::min<std::size_t>(
                                                    room, std::size_t(std::max(1, options.block)))),
                                                .budget_ms = std::min(left_ms, options.turn_ms)});
  if (!block) return fail(contender, failure_text(block.error()));
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
    for (Contender& contender : contenders_) {
      const auto warmed = warm_up(*contender.sampler, mode_, options_.warm_up);
      if (!warmed) fail(contender, failure_text(warmed.error()));
    }
  }

  void take_turns() {
    Turns turns(contenders_.size(), options_.seed);
    while (!all([](const Contender& contender) { return contender.is_done; })) {
      for (const std::size_t index : turns.next_round()) {
        if (!contenders_[index].is_out) take_turn(contenders_[index], mode_, options_);
      }
      for (Contender& contender : contenders_) look_at(contender);
    }
  }

  std::vector<Measured> results() const {
    const double usual_mhz = usual();
    std::vector<Measured> results;
    for (const Contender& contender : contenders_) {
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
    for (const Contender& contender : contenders_) taken.push_back(contender.taken);
    return usual_clock(taken);
  }

  KeptSamples kept_of(const Contender& contender, double usual_mhz) const {
    return set_throttled_aside(contender.taken, usual_mhz, options_.throttle_below,
                               options_.throttle_share);
  }

  // Looking costs as much as there are samples: long streams are looked at more rarely.
  void look_at(Contender& contender) const {
    contender.is_out |= is_at_cap(contender.count(), contender.spent_ms, options_.stop);
    contender.is_done |= contender.is_out;
    if (contender.is_done || contender.count() < contender.next_look) return;
    contender.next_look = contender.count() + contender.count() / 16;
    contender.is_done = is_enough(kept_of(contender, usual()).samples_us, options_.stop);
  }

  TimeMode mode_;
  const MeasureOptions& options_;
  std::vector<Contender> contenders_;
};

}  // namespace

std::vector<Measured> measure(std::span<Sampler* const> contenders, TimeMode mode,
                              const MeasureOptions& options) {
  Measurement measurement(contenders, mode, options);
  measurement.warm_up_all();
  measurement.take_turns();
  return measurement.results();
}

}  // namespace strobe::bench
