#include "strobe/bench/judge/cell_verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "strobe/stats/median_ratio.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/quantiles.h"

namespace strobe::bench {
namespace {

constexpr char kAskTheGraph[] = "measure it with `--mode graph`, where many calls make one sample";

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }
std::string band_text(double band) { return fmt::format("±{:.3g} %", 100 * band); }

// The summary of one side, with its usable samples sorted.
struct Side {
  const TimeSummary* time = nullptr;
  std::vector<double> sorted;
  std::size_t independent = 0;
  double step = 0;

  explicit Side(const TimeSummary& summary) : time(&summary) {
    sorted.assign(summary.samples_us.begin(), summary.samples_us.end());
    std::erase_if(sorted, [](double sample) { return !(std::isfinite(sample) && sample > 0); });
    independent = sorted.empty() ? summary.n : stats::effective_count(sorted);
    std::sort(sorted.begin(), sorted.end());
    step = time_step(sorted);
  }
  stats::MedianSample sample() const {
    return {sorted, std::max<std::size_t>(1, independent), step};
  }
};

// 64-bit FNV-1a. A cell's interval depends only on the cell and the seed, not on other cells.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

bool has_interval(const TimeSummary& time) {
  return time.ci95[0] > 0 && time.ci95[0] <= time.p50 && time.p50 <= time.ci95[1] &&
         std::isfinite(time.ci95[1]);
}

bool is_one_measurement(const TimeSummary& a, const TimeSummary& b) {
  return a.samples_us == b.samples_us && a.n == b.n && a.p50 == b.p50 && a.p20 == b.p20 &&
         a.p80 == b.p80 && a.min == b.min && a.mad == b.mad && a.ci95 == b.ci95;
}

class CellJudge {
 public:
  CellJudge(const CellRecord& before, const CellRecord& after, const RunDiffOptions& options)
      : before_(before), after_(after), options_(options) {
    judged_.diff.cell = after.cell;
    judged_.diff.band = options.band;
  }

  JudgedCell judge() {
    if (!has_times()) return judged_;
    const Side before(*before_time_);
    const Side after(*after_time_);
    if (is_one_measurement(*before_time_, *after_time_)) {
      diff().verdict = CellVerdict::kSame;
      diff().source = before.sorted.empty() ? RatioSource::kIntervals : RatioSource::kSamples;
      return judged_;
    }
    if (!estimate(before, after)) return judged_;
    decide();
    doubt(before, after);
    return judged_;
  }

 private:
  CellDiff& diff() { return judged_.diff; }

  void set_aside(CellVerdict verdict, std::string reason, std::string advice) {
    diff().verdict = verdict;
    diff().reason = std::move(reason);
    diff().advice = std::move(advice);
  }

  bool has_times() {
    const bool was_ok = before_.status == CellStatus::kOk;
    const bool is_ok = after_.status == CellStatus::kOk;
    if (!was_ok || !is_ok) {
      diff().is_broken = was_ok;
      if (was_ok && before_.headline()) diff().before_us = before_.headline()->p50;
      if (is_ok && after_.headline()) diff().after_us = after_.headline()->p50;
      const CellRecord& culprit = is_ok ? before_ : after_;
      set_aside(CellVerdict::kNotComparable,
                fmt::format("{} before, {} after{}{}", status_name(before_.status),
                            status_name(after_.status), culprit.reason.empty() ? "" : ": ",
                            culprit.reason),
                "");
      return false;
    }
    for (const TimeMode mode : kHeadlineModes) {
      if (options_.mode && *options_.mode != mode) continue;
      before_time_ = before_.time(mode);
      after_time_ = after_.time(mode);
      diff().mode = mode;
      if (before_time_ && after_time_) break;
    }
    if (!before_time_ || !after_time_) {
      set_aside(CellVerdict::kNotComparable,
                options_.mode ? fmt::format("no {} time on both sides", mode_name(*options_.mode))
                              : std::string("no time that both sides have"),
                "measure both in the same modes");
      return false;
    }
    diff().before_us = before_time_->p50;
    diff().after_us = after_time_->p50;
    if (diff().before_us > 0 && diff().after_us > 0) {
      diff().band = band();
      return true;
    }
    set_aside(CellVerdict::kNotComparable, "a time of 0 has no ratio", kAskTheGraph);
    return false;
  }

  // The usual difference between two runs of one call is added to the band.
  double band() const {
    constexpr double kMost = 0.5;
    if (judged_.diff.mode != TimeMode::kDevice) return options_.band;
    return options_.band + std::min(kMost, options_.resolution_us / judged_.diff.before_us);
  }

  bool estimate(const Side& before, const Side& after) {
    diff().ratio = diff().after_us / diff().before_us;
    diff().ratio_ci95 = {diff().ratio, diff().ratio};
    const std::size_t fewest = std::min(before.time->n, after.time->n);
    if (stats::median_rank(fewest) == 0) {
      set_aside(CellVerdict::kUnclear, fmt::format("{} samples have no 95 % interval", fewest),
                "measure both again with --stop samples:30");
      return false;
    }
    stats::MedianRatio ratio;
    if (!before.sorted.empty() && !after.sorted.empty()) {
      stats::Dice dice(options_.seed ^ hash_of(cell_text(diff().cell)));
      ratio = stats::bootstrap_ratio(before.sample(), after.sample(), options_.resamples, dice);
      diff().source = RatioSource::kSamples;
    } else if (has_interval(*before.time) && has_interval(*after.time)) {
      ratio = stats::interval_ratio({before.time->p50, before.time->ci95},
                                    {after.time->p50, after.time->ci95});
      diff().source = RatioSource::kIntervals;
    } else {
      set_aside(CellVerdict::kUnclear, "neither samples nor an interval of the median are known",
                "measure both again with --samples");
      return false;
    }
    diff().ratio = ratio.ratio;
    diff().ratio_ci95 = ratio.interval;
    judged_.error = ratio.log_error;
    return true;
  }

  bool is_outside(std::array<double, 2> interval, bool upwards) const {
    const double band = judged_.diff.band;
    return upwards ? interval[0] > 1 + band : interval[1] < 1 - band;
  }

  void decide() {
    const auto [low, high] = diff().ratio_ci95;
    if (low >= 1 - diff().band && high <= 1 + diff().band) {
      diff().verdict = CellVerdict::kSame;
    } else if (is_outside(diff().ratio_ci95, true)) {
      diff().verdict = CellVerdict::kSlower;
    } else if (is_outside(diff().ratio_ci95, false)) {
      diff().verdict = CellVerdict::kFaster;
    } else if (has_same_percentiles()) {
      diff().verdict = CellVerdict::kSame;
    } else {
      explain_width();
    }
  }

  // If calls take one of two times, the median falls between the two groups and its interval spans
  // both. Comparing several percentiles of many calls is then the better test.
  bool has_same_percentiles() const {
    constexpr std::size_t kMany = 200;
    const TimeSummary& before = *before_time_;
    const TimeSummary& after = *after_time_;
    if (std::min(before.n, after.n) < kMany) return false;
    const auto is_near = [&](double was, double is) {
      return was > 0 && std::abs(is / was - 1) <= judged_.diff.band / 2;
    };
    return is_near(before.p20, after.p20) && is_near(before.p50, after.p50) &&
           is_near(before.p80, after.p80);
  }

  // A re-run of the same code is "same" 99 times in 100 if the medians' difference (2.58 errors)
  // and half its interval (1.96) fit into the band together: half a width of 0.43 bands, which two
  // medians share.
  void explain_width() {
    const auto [low, high] = diff().ratio_ci95;
    const double half = (high - low) / 2;
    const double aim = 0.43 * diff().band;
    const double times = std::max(1.0, half / aim * (half / aim));
    constexpr double kMostTimes = 100;  // more samples than anyone would wait for
    std::string advice;
    if (diff().band > 2 * options_.band) {  // most of it is the resolution of the clock
      advice = kAskTheGraph;
    } else if (half <= aim) {
      advice = fmt::format("the change is at the edge of the band; --band {:.2g}% would decide it",
                           100 * diff().band / 2);
    } else if (is_noisy() && times > kMostTimes) {
      advice = "the cell is noisy: measure both again on a quiet machine and with a steady clock";
    } else if (is_noisy()) {
      advice = fmt::format(
          "the cell is noisy: a quiet machine and a steady clock, or {:.0f} times the samples "
          "(--stop samples:{:.0f})",
          std::ceil(times),
          std::ceil(times * static_cast<double>(std::max(before_time_->n, after_time_->n)) / 100) *
              100);
    } else {
      advice =
          fmt::format("measure both again with --stop median:{:.2g}%", 100 * aim / std::sqrt(2.0));
    }
    set_aside(CellVerdict::kUnclear,
              fmt::format("{} to {} is neither inside {} nor outside", percent(low), percent(high),
                          band_text(diff().band)),
              std::move(advice));
  }

  // Checks for causes that make an apparent change.
  void doubt(const Side& before, const Side& after) {
    if (diff().verdict != CellVerdict::kSlower && diff().verdict != CellVerdict::kFaster) return;
    const bool was_throttled = before_.has(CellFlag::kThrottled);
    if (was_throttled || after_.has(CellFlag::kThrottled)) {
      set_aside(CellVerdict::kUnclear,
                fmt::format("{}, but the {} run was throttled", percent(diff().ratio),
                            was_throttled ? "first" : "second"),
                "let the device cool, or lock its clock, and measure that run again");
      return;
    }
    if (doubt_clock() || doubt_load()) return;
    const double step = std::max(before.step, after.step);
    if (step > 0 && std::abs(diff().after_us - diff().before_us) <= 1.01 * step) {
      set_aside(CellVerdict::kUnclear,
                fmt::format("{} is one step of the clock ({:.3g} us)", percent(diff().ratio), step),
                kAskTheGraph);
    }
  }

  // The time changed only because the clock did.
  bool doubt_clock() {
    const double before_mhz = before_.clocks.sm_mhz.value_or(0);
    const double after_mhz = after_.clocks.sm_mhz.value_or(0);
    if (!(before_mhz > 0) || !(after_mhz > 0)) return false;
    const double cycles = after_mhz / before_mhz;
    if (std::abs(cycles - 1) <= diff().band) return false;
    const std::array<double, 2> interval = {diff().ratio_ci95[0] * cycles,
                                            diff().ratio_ci95[1] * cycles};
    if (is_outside(interval, diff().verdict == CellVerdict::kSlower)) return false;
    set_aside(CellVerdict::kUnclear,
              fmt::format("{}, but the clock was {:.0f} MHz before and {:.0f} MHz after",
                          percent(diff().ratio), before_mhz, after_mhz),
              "lock the clock, or let the device cool, and measure both again");
    return true;
  }

  // The interval assumes that all samples come from one distribution. A noisy cell has met changing
  // load: a change must then also exceed the spread of most of its calls.
  bool doubt_load() {
    const TimeSummary& before = *before_time_;
    const TimeSummary& after = *after_time_;
    if (!is_noisy() || !(before.p20 > 0) || !(after.p20 > 0)) return false;
    if (before.p80 < after.p20 || after.p80 < before.p20) return false;
    set_aside(CellVerdict::kUnclear,
              fmt::format("{}, but the cell is noisy: three fifths of its calls took {:.4g} to "
                          "{:.4g} us before and {:.4g} to {:.4g} us after",
                          percent(diff().ratio), before.p20, before.p80, after.p20, after.p80),
              "measure both again on a quiet machine");
    return true;
  }

  bool is_noisy() const { return before_.has(CellFlag::kNoisy) || after_.has(CellFlag::kNoisy); }

  const CellRecord& before_;
  const CellRecord& after_;
  const RunDiffOptions& options_;
  const TimeSummary* before_time_ = nullptr;
  const TimeSummary* after_time_ = nullptr;
  JudgedCell judged_;
};

}  // namespace

double time_step(std::span<const double> sorted_us) {
  constexpr std::size_t kLeastSamples = 20;
  constexpr double kLeastShare = 0.001;
  constexpr double kMostShare = 0.05;  // larger gaps are modes
  constexpr double kSingle = 1e-6;     // samples are kept in single precision
  if (sorted_us.size() < kLeastSamples) return 0;
  const double median = sorted_us[sorted_us.size() / 2];
  double step = median;
  std::vector<double> values;
  for (const double value : sorted_us) {
    const double gap = values.empty() ? median : value - values.back();
    if (gap <= kSingle * median) continue;
    if (!values.empty()) step = std::min(step, gap);
    values.push_back(value);
  }
  // Continuous times are all different; the steps of a clock repeat.
  if (values.size() < 3 || 4 * values.size() > sorted_us.size()) return 0;
  if (step < kLeastShare * median || step > kMostShare * median) return 0;
  for (const double value : values) {
    const double steps = (value - values.front()) / step;
    const double tolerance = 0.02 + 2 * kSingle * value / step;
    if (std::abs(steps - std::round(steps)) > tolerance * std::max(1.0, std::sqrt(steps))) return 0;
  }
  return step;
}

JudgedCell judge_cell(const CellRecord& before, const CellRecord& after,
                      const RunDiffOptions& options) {
  return CellJudge(before, after, options).judge();
}

double chance_of(const JudgedCell& cell) {
  const double band = cell.diff.band;
  const double distance = std::max(std::log(cell.diff.ratio) - std::log1p(band),
                                   std::log1p(-band) - std::log(cell.diff.ratio));
  if (!(distance > 0)) return 1;
  return cell.error > 0 ? stats::normal_tails(distance / cell.error) / 2 : 0;
}

}  // namespace strobe::bench
