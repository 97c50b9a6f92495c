#include "strobe/bench/measure/stop_rule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "strobe/stats/moments.h"
#include "strobe/stats/quantiles.h"

namespace strobe::bench {
namespace {

using Kind = StopRule::Kind;

double sum_ms(std::span<const double> samples_us) {
  return std::accumulate(samples_us.begin(), samples_us.end(), 0.0) / 1000;
}

double half_width(std::span<const double> sorted, std::size_t independent, double confidence) {
  const stats::MedianInterval interval = stats::median_interval(sorted, independent, confidence);
  return (interval.high - interval.low) / 2;
}

// The interval is tested repeatedly, and with two modes of equal weight it becomes narrow by chance
// sooner or later. So the 99.9 % interval must be narrow as well: it is 1.7 times as wide if
// samples are close to their median, and as wide as the gap between modes otherwise.
bool has_narrow_interval(std::span<const double> samples_us, double most) {
  constexpr double kSure = 0.999;
  const std::size_t independent = stats::effective_count(samples_us);
  std::vector<double> sorted(samples_us.begin(), samples_us.end());
  std::sort(sorted.begin(), sorted.end());
  const double most_us = most * stats::quantile_of_sorted(sorted, 0.5);
  return half_width(sorted, independent, 0.95) <= most_us &&
         half_width(sorted, independent, kSure) <= 2 * most_us;
}

bool has_little_noise(std::span<const double> samples_us, double most) {
  const stats::Moments moments = stats::moments_of(samples_us);
  return moments.deviation <= most * moments.mean;
}

constexpr double kEntropyBits = 0.05;
constexpr double kMostSamples = 1e6;

Error bad_rule(std::string_view text) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is not a stop rule", text),
          .where = "--stop",
          .hint = "one of median:0.5%, samples:100, time:200ms, noise:1%, entropy"};
}

struct Quantity {
  double number = 0;
  std::string_view unit;
};

// Two numbers, the target and the accepted one, or one number for both.
std::string share_text(const StopRule& rule) {
  if (rule.accepted == rule.value) return fmt::format("{:.6g}%", rule.value * 100);
  return fmt::format("{:.6g}%/{:.6g}%", rule.value * 100, rule.accepted * 100);
}

// A positive number and its unit.
bool read_quantity(std::string_view text, Quantity& quantity) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc() || !std::isfinite(quantity.number) || quantity.number <= 0) return false;
  quantity.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool as_share(const Quantity& quantity, double& share) {
  if (quantity.unit != "%" && !quantity.unit.empty()) return false;
  share = quantity.unit == "%" ? quantity.number / 100 : quantity.number;
  return share <= 1;
}

bool as_milliseconds(const Quantity& quantity, double& ms) {
  if (quantity.unit == "ms") ms = quantity.number;
  if (quantity.unit == "s") ms = quantity.number * 1000;
  if (quantity.unit == "us") ms = quantity.number / 1000;
  return quantity.unit == "ms" || quantity.unit == "s" || quantity.unit == "us";
}

// A given count or time is exact: no other limit ends the cell.
bool as_count(const Quantity& quantity, StopRule& rule) {
  const bool is_whole = quantity.number == std::floor(quantity.number);
  if (!quantity.unit.empty() || !is_whole || quantity.number > kMostSamples) return false;
  rule.value = quantity.number;
  rule.least_samples = rule.most_samples = static_cast<std::size_t>(quantity.number);
  rule.least_ms = 0;
  rule.most_ms = std::numeric_limits<double>::infinity();
  return true;
}

bool as_time(const Quantity& quantity, StopRule& rule) {
  if (!as_milliseconds(quantity, rule.value)) return false;
  rule.least_samples = 1;
  rule.least_ms = rule.most_ms = rule.value;
  rule.most_samples = static_cast<std::size_t>(kMostSamples);
  return true;
}

bool read_shares(std::string_view text, StopRule& rule) {
  const std::size_t slash = text.find('/');
  Quantity aim, accepted;
  if (!read_quantity(text.substr(0, slash), aim) || !as_share(aim, rule.value)) return false;
  rule.accepted = rule.value;
  if (slash == std::string_view::npos) return true;
  return read_quantity(text.substr(slash + 1), accepted) && as_share(accepted, rule.accepted) &&
         rule.accepted >= rule.value;
}

bool read_value(std::string_view text, StopRule& rule) {
  if (rule.kind == Kind::kMedianInterval || rule.kind == Kind::kNoise) {
    return read_shares(text, rule);
  }
  Quantity quantity;
  if (!read_quantity(text, quantity)) return false;
  switch (rule.kind) {
    case Kind::kSamples:
      return as_count(quantity, rule);
    case Kind::kTime:
      return as_time(quantity, rule);
    default:
      rule.value = quantity.number;
      return quantity.unit.empty();
  }
}

constexpr std::pair<std::string_view, Kind> kRuleNames[] = {{"median", Kind::kMedianInterval},
                                                            {"samples", Kind::kSamples},
                                                            {"time", Kind::kTime},
                                                            {"noise", Kind::kNoise},
                                                            {"entropy", Kind::kEntropy}};

}  // namespace

bool is_precise(std::span<const double> samples_us, const StopRule& rule) {
  const bool counts_only = rule.kind == Kind::kSamples || rule.kind == Kind::kTime;
  if (counts_only) return !samples_us.empty();
  if (stats::median_rank(samples_us.size()) == 0 || !(stats::median_of(samples_us) > 0))
    return false;
  switch (rule.kind) {
    case Kind::kNoise:
      return has_little_noise(samples_us, rule.value);
    case Kind::kEntropy:
      return entropy_rise(samples_us) <= rule.value;
    default:
      return has_narrow_interval(samples_us, rule.value);
  }
}

StopRule at_the_cap(const StopRule& rule) {
  StopRule last = rule;
  last.value = std::max(rule.value, rule.accepted);
  return last;
}

bool is_at_cap(std::size_t samples, double spent_ms, const StopRule& rule) {
  return samples >= rule.most_samples || spent_ms >= rule.most_ms;
}

bool is_enough(std::span<const double> samples_us, const StopRule& rule) {
  if (samples_us.size() < rule.least_samples) return false;
  const bool is_long = sum_ms(samples_us) >= rule.least_ms;
  return (is_long || samples_us.size() >= rule.most_samples) && is_precise(samples_us, rule);
}

double entropy_rise(std::span<const double> samples_us) {
  const std::size_t n = samples_us.size();
  if (n < 4) return INFINITY;
  // Classes are half a percent of the median wide: smaller differences do not matter.
  const double width = 0.005 * stats::median_of(samples_us);
  if (!(width > 0)) return 0;
  std::vector<std::pair<std::int64_t, std::size_t>> counts;  // few classes, found by search
  double sum_of_logs = 0;  // of c log2 c over the classes; entropy = log2 n - that / n
  const auto term = [](std::size_t c) {
    return c == 0 ? 0.0 : static_cast<double>(c) * std::log2(static_cast<double>(c));
  };
  std::vector<double> entropy;
  for (std::size_t i = 0; i < n; ++i) {
    constexpr double kFarthest = 1e15;
    const auto bin =
        static_cast<std::int64_t>(std::min(std::floor(samples_us[i] / width), kFarthest));
    auto place = std::lower_bound(counts.begin(), counts.end(), std::pair{bin, std::size_t{0}});
    if (place == counts.end() || place->first != bin) place = counts.insert(place, {bin, 0});
    sum_of_logs += term(place->second + 1) - term(place->second);
    ++place->second;
    const auto seen = static_cast<double>(i + 1);
    if (i >= n / 2) entropy.push_back(std::log2(seen) - sum_of_logs / seen);
  }
  const auto length = static_cast<double>(entropy.size());
  const double middle = (length - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < entropy.size(); ++i) {
    const double step = static_cast<double>(i) - middle;
    products += step * entropy[i];
    squares += step * step;
  }
  return std::abs(products / squares) * length;
}

Result<StopRule> parse_stop_rule(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const auto& [known, kind] : kRuleNames) {
    if (known != name) continue;
    StopRule rule;
    rule.kind = kind;
    if (kind == Kind::kEntropy) rule.value = rule.accepted = kEntropyBits;
    const bool may_be_bare = kind == Kind::kEntropy || kind == Kind::kMedianInterval;
    if (colon == std::string_view::npos && may_be_bare) return rule;
    if (colon == std::string_view::npos || !read_value(text.substr(colon + 1), rule)) {
      return bad_rule(text);
    }
    if (kind != Kind::kMedianInterval && kind != Kind::kNoise) rule.accepted = rule.value;
    return rule;
  }
  return bad_rule(text);
}

std::string stop_rule_text(const StopRule& rule) {
  switch (rule.kind) {
    case Kind::kMedianInterval:
      return "median:" + share_text(rule);
    case Kind::kSamples:
      return fmt::format("samples:{:.0f}", rule.value);
    case Kind::kTime:
      return fmt::format("time:{:.6g}ms", rule.value);
    case Kind::kNoise:
      return "noise:" + share_text(rule);
    case Kind::kEntropy:
      return rule.value == kEntropyBits ? "entropy" : fmt::format("entropy:{:.6g}", rule.value);
  }
  return "";
}

}  // namespace strobe::bench
