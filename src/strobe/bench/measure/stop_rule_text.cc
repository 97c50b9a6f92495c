#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "strobe/bench/measure/stop_rule.h"

// A rule of stopping as people type and read it.
namespace strobe::bench {
namespace {

using Kind = StopRule::Kind;
constexpr double kEntropyBits = 0.05;
constexpr double kMostSamples = 1e6;

Error bad_rule(std::string_view text) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is no rule of stopping", text),
          .where = "--stop",
          .hint = "one of median:0.5%, samples:100, time:200ms, noise:1%, entropy"};
}

struct Quantity {
  double number = 0;
  std::string_view unit;
};

// Two numbers, the one aimed at and the one accepted, or one that is both.
std::string share_text(const StopRule& rule) {
  if (rule.accepted == rule.value) return fmt::format("{:.6g}%", rule.value * 100);
  return fmt::format("{:.6g}%/{:.6g}%", rule.value * 100, rule.accepted * 100);
}

// A positive number and what stands behind it.
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

// Who asks for a count or a time gets it: no other limit ends the cell.
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

constexpr std::pair<std::string_view, Kind> kNames[] = {{"median", Kind::kMedianInterval},
                                                        {"samples", Kind::kSamples},
                                                        {"time", Kind::kTime},
                                                        {"noise", Kind::kNoise},
                                                        {"entropy", Kind::kEntropy}};

}  // namespace

Result<StopRule> parse_stop_rule(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const auto& [known, kind] : kNames) {
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
