#include "strobe/compare/kernel_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "strobe/analysis/findings/finding.h"
#include "strobe/base/text.h"
#include "strobe/compare/change.h"
#include "strobe/stats/effect.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/p_values.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {
namespace {

using analysis::KernelStudy;

// If even a few launches differ this much, they have changed, whatever the noise of kernels is.
constexpr double kFarApart = 1.25;
// Launches are measured against the median of their own stratum: with fewer launches, the median
// would depend too much on each of them.
constexpr std::size_t kLeastOfStratum = 3;
constexpr double kClockTolerance = 0.05;

// Logarithms of latencies, on both sides relative to the usual latency of equal launches.
struct Aligned {
  std::vector<double> before;
  std::vector<double> after;
};

double log_ns(double ns) { return std::log(std::max(1.0, ns)); }

void align(const KernelStratum& stratum, bool is_only_one, Aligned& aligned) {
  std::vector<double> all;
  for (const double ns : stratum.before_ns) all.push_back(log_ns(ns));
  for (const double ns : stratum.after_ns) all.push_back(log_ns(ns));
  const double usual = is_only_one ? 0 : stats::median_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    (i < stratum.before_ns.size() ? aligned.before : aligned.after).push_back(all[i] - usual);
  }
}

KernelStratum all_in_one(const std::vector<KernelStratum>& strata) {
  KernelStratum all;
  for (const KernelStratum& stratum : strata) {
    all.before_ns.insert(all.before_ns.end(), stratum.before_ns.begin(), stratum.before_ns.end());
    all.after_ns.insert(all.after_ns.end(), stratum.after_ns.begin(), stratum.after_ns.end());
  }
  return all;
}

Aligned aligned_of(const std::vector<KernelStratum>& strata) {
  Aligned aligned;
  for (const KernelStratum& stratum : strata) {
    if (std::min(stratum.before_ns.size(), stratum.after_ns.size()) >= kLeastOfStratum) {
      align(stratum, strata.size() == 1, aligned);
    }
  }
  return aligned;
}

bool is_one_sided(const KernelStratum& stratum) {
  return stratum.before_ns.empty() != stratum.after_ns.empty();
}

std::string change_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

void append(std::string& note, std::string_view text) {
  if (!note.empty()) note += "; ";
  note += text;
}

// The smallest distance between the two sides, in the direction of the ratio; 1 if they overlap.
double gap_between(const KernelStratum& all) {
  std::vector<double> ratios;
  if (all.before_ns.size() == all.after_ns.size()) {
    for (std::size_t i = 0; i < all.before_ns.size(); ++i) {
      ratios.push_back(std::max(1.0, all.after_ns[i]) / std::max(1.0, all.before_ns[i]));
    }
  } else {
    const auto [b_least, b_most] = std::ranges::minmax(all.before_ns);
    const auto [a_least, a_most] = std::ranges::minmax(all.after_ns);
    ratios = {std::max(1.0, a_least) / std::max(1.0, b_most),
              std::max(1.0, a_most) / std::max(1.0, b_least)};
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  if (least > 1) return least;
  return most < 1 ? most : 1;
}

class Differ {
 public:
  Differ(const KernelStudy& before, const KernelStudy& after) : before_(before), after_(after) {}

  KernelDiff diff() {
    diff_.before = before_.totals;
    diff_.after = after_.totals;
    const std::vector<KernelPair> pairs = pair_kernels(before_, after_);
    for (const KernelPair& pair : pairs) diff_.rows.push_back(row_of(pair));
    adjust();
    for (std::size_t i = 0; i < pairs.size(); ++i) judge(pairs[i], diff_.rows[i]);
    std::stable_sort(diff_.rows.begin(), diff_.rows.end(),
                     [](const KernelDiffRow& a, const KernelDiffRow& b) {
                       return std::abs(a.moved_ns) > std::abs(b.moved_ns);
                     });
    warn();
    diff_.verdict = verdict();
    return std::move(diff_);
  }

 private:
  KernelDiffRow row_of(const KernelPair& pair) {
    KernelDiffRow row;
    row.name = pair.name;
    row.family = pair.family;
    row.before = pair.before;
    row.after = pair.after;
    row.moved_ns = pair.after.latency_ns - pair.before.latency_ns;
    if (pair.before.launches == 0 || pair.after.launches == 0) return row;
    if (pair.before.mean_ns() > 0) row.ratio = pair.after.mean_ns() / pair.before.mean_ns();
    if (pair.before.latency_ns == 0 && pair.after.latency_ns == 0) row.ratio = 1;
    if (pair.before.launches != pair.after.launches) {
      append(row.note, fmt::format("{} launches before, {} after", count_text(pair.before.launches),
                                   count_text(pair.after.launches)));
    }
    test(pair, row);
    return row;
  }

  void test(const KernelPair& pair, KernelDiffRow& row) {
    const bool has_odd_ones = std::ranges::any_of(pair.strata, is_one_sided);
    const bool has_none_alike = std::ranges::all_of(pair.strata, is_one_sided);
    if (has_odd_ones) {
      append(row.note,
             has_none_alike
                 ? "no launch has a launch of the same shape or position on the other side"
                 : "some launches have no counterpart on the other side");
    }
    const Aligned aligned =
        aligned_of(has_none_alike ? std::vector{all_in_one(pair.strata)} : pair.strata);
    if (std::min(aligned.before.size(), aligned.after.size()) < kLeastKernelLaunches) return;
    const stats::RankTest test = stats::rank_test(aligned.before, aligned.after, {}, &counts_);
    const stats::Shift shift = stats::shift_between(aligned.before, aligned.after, 0.95, &counts_);
    row.p = std::isnan(test.p) ? 1 : test.p;
    row.typical_ratio = std::exp(shift.shift);
    if (std::isfinite(shift.low) && std::isfinite(shift.high)) {
      row.ratio_low = std::exp(shift.low);
      row.ratio_high = std::exp(shift.high);
    }
  }

  void adjust() {
    std::vector<double> p;
    for (const KernelDiffRow& row : diff_.rows) {
      p.push_back(row.p.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    const std::vector<double> q = stats::adjusted_p(p);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (diff_.rows[i].p) diff_.rows[i].q = q[i];
    }
  }

  static void judge(const KernelPair& pair, KernelDiffRow& row) {
    if (row.before.launches == 0) {
      row.change = KernelChange::kAdded;
    } else if (row.after.launches == 0) {
      row.change = KernelChange::kRemoved;
    } else if (row.q && row.ratio_low) {
      row.change = judge_tested(row);
    } else {
      row.change = judge_few(all_in_one(pair.strata), row);
    }
  }

  static KernelChange judge_tested(KernelDiffRow& row) {
    const double low = *row.ratio_low;
    const double high = *row.ratio_high;
    const bool is_sure = *row.q < kSignificant;
    if (row.ratio &&
        (*row.ratio < low - kKernelTolerance || *row.ratio > high + kKernelTolerance)) {
      append(row.note, fmt::format("the mean moved {}, a typical launch {}",
                                   change_text(*row.ratio), change_text(*row.typical_ratio)));
    }
    if (is_sure && low > 1 + kKernelTolerance) return KernelChange::kSlower;
    if (is_sure && high < 1 - kKernelTolerance) return KernelChange::kFaster;
    if (std::abs(*row.typical_ratio - 1) <= kKernelTolerance) return KernelChange::kSame;
    append(row.note, fmt::format("a launch changed by {} to {}: more launches are needed",
                                 change_text(low), change_text(high)));
    return KernelChange::kUnsure;
  }

  static KernelChange judge_few(const KernelStratum& all, KernelDiffRow& row) {
    if (row.ratio && std::abs(*row.ratio - 1) <= kKernelTolerance) return KernelChange::kSame;
    const double gap = gap_between(all);
    if (gap >= kFarApart || gap <= 1 / kFarApart) {
      append(row.note, fmt::format("few launches, but all of them {} or more", change_text(gap)));
      return gap > 1 ? KernelChange::kSlower : KernelChange::kFaster;
    }
    append(row.note, "too few comparable launches to rule out chance");
    return KernelChange::kUnsure;
  }

  // --- what makes the sides incomparable ---

  static std::string chip_of(const KernelStudy& study) {
    for (const KernelDevice& device : study.table->devices) {
      if (!device.name.empty()) return device.name;
    }
    return study.chip ? std::string(study.chip->name) : "";
  }

  static std::optional<double> clock_of(const KernelStudy& study) {
    double weighted = 0;
    double weight = 0;
    for (std::size_t row = 0; row < study.table->size(); ++row) {
      const std::optional<double> hz = study.table->value(KernelMetric::kClockHz, row);
      if (!hz) continue;
      weighted += *hz * static_cast<double>(study.table->durations_ns[row]);
      weight += static_cast<double>(study.table->durations_ns[row]);
    }
    if (weight <= 0) return {};
    return weighted / weight;
  }

  void warn() {
    const std::string chip_before = chip_of(before_);
    const std::string chip_after = chip_of(after_);
    if (!chip_before.empty() && !chip_after.empty() && chip_before != chip_after) {
      diff_.warnings.push_back(
          fmt::format("different chips: {} before, {} after", chip_before, chip_after));
    }
    const std::optional<double> clock_before = clock_of(before_);
    const std::optional<double> clock_after = clock_of(after_);
    if (clock_before && clock_after &&
        std::max(*clock_before, *clock_after) >
            (1 + kClockTolerance) * std::min(*clock_before, *clock_after)) {
      diff_.warnings.push_back(fmt::format(
          "different clocks: {:.2f} GHz before, {:.2f} GHz after; this alone changes the times",
          *clock_before / 1e9, *clock_after / 1e9));
    }
    const ClockPolicy policy_before = before_.table->clock_policy;
    const ClockPolicy policy_after = after_.table->clock_policy;
    if (policy_before != policy_after && policy_before != ClockPolicy::kUnknown &&
        policy_after != ClockPolicy::kUnknown) {
      diff_.warnings.push_back(
          fmt::format("the profiler locked the clock {} only",
                      policy_before == ClockPolicy::kLocked ? "before" : "after"));
    }
    warn_of_metrics();
  }

  void warn_of_metrics() {
    for (const KernelMetric metric : {KernelMetric::kTensorPercent, KernelMetric::kDramPercent}) {
      const bool in_before = before_.table->has(metric);
      if (in_before == after_.table->has(metric)) continue;
      diff_.warnings.push_back(
          fmt::format("the {} share was counted {} only",
                      metric == KernelMetric::kTensorPercent ? "tensor" : "DRAM",
                      in_before ? "before" : "after"));
    }
  }

  // --- in one sentence ---

  std::string counts_text() const {
    std::string text;
    for (const KernelChange change :
         {KernelChange::kFaster, KernelChange::kSlower, KernelChange::kAdded,
          KernelChange::kRemoved, KernelChange::kUnsure}) {
      const std::size_t count = diff_.count(change);
      if (count == 0) continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {}", count, word_of(change));
    }
    return text;
  }

  std::string verdict() const {
    const auto before_ns = static_cast<double>(diff_.before.latency_ns);
    const auto after_ns = static_cast<double>(diff_.after.latency_ns);
    std::string text =
        fmt::format("{} -> {}", mean_duration_text(before_ns), mean_duration_text(after_ns));
    if (before_ns > 0) text += fmt::format(" ({})", change_text(after_ns / before_ns));
    const std::string counts = counts_text();
    if (counts.empty()) return text + ": no kernel changed";
    text += fmt::format(": {} of {}", counts, counted(diff_.rows.size(), "kernel name"));
    const auto mover = std::ranges::find_if(diff_.rows, [](const KernelDiffRow& row) {
      return row.change != KernelChange::kSame && row.moved_ns != 0;
    });
    if (mover == diff_.rows.end()) return text;
    return text + fmt::format("; most by {}, {}{} ({})", analysis::short_name(mover->name),
                              mover->moved_ns > 0 ? "+" : "",
                              mean_duration_text(static_cast<double>(mover->moved_ns)),
                              word_of(mover->change));
  }

  const KernelStudy& before_;
  const KernelStudy& after_;
  stats::RankCounts counts_;
  KernelDiff diff_;
};

}  // namespace

std::string_view word_of(KernelChange change) {
  switch (change) {
    case KernelChange::kSame:
      return "same";
    case KernelChange::kFaster:
      return "faster";
    case KernelChange::kSlower:
      return "slower";
    case KernelChange::kAdded:
      return "added";
    case KernelChange::kRemoved:
      return "removed";
    case KernelChange::kUnsure:
      return "unclear";
  }
  return "";
}

std::size_t KernelDiff::count(KernelChange change) const {
  return static_cast<std::size_t>(std::ranges::count(rows, change, &KernelDiffRow::change));
}

KernelDiff diff_kernels(const KernelStudy& before, const KernelStudy& after) {
  return Differ(before, after).diff();
}

}  // namespace strobe::compare
