#include "strobe/tensorboard/number.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "strobe/base/json_value.h"

namespace strobe::tensorboard {
namespace {

// The longest number: 309 digits before the point, then the decimals.
constexpr std::size_t kFixedBytes = 700;

std::string fixed(double x, int digits) {
  char text[kFixedBytes];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), x, std::chars_format::fixed, digits);
  return error == std::errc() ? std::string(text, end) : fmt::format("{}", x);
}

// Decimal digits and the exponent of the first: 12.5 is "125" and 1.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest(double positive) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), positive, std::chars_format::scientific);
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const std::size_t e = all.find('e');
  Decimal decimal;
  for (const char c : all.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  std::string_view exponent = all.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  return decimal;
}

std::string real_text(double x) {
  if (std::isnan(x)) return "nan";
  const std::string sign = std::signbit(x) ? "-" : "";
  if (std::isinf(x)) return sign + "inf";
  if (x == 0) return sign + "0.0";
  auto [digits, exponent] = shortest(std::abs(x));
  constexpr int kPlainFrom = -4;
  constexpr int kPlainBelow = 16;
  if (exponent < kPlainFrom || exponent >= kPlainBelow) {
    if (digits.size() > 1) digits.insert(1, ".");
    return fmt::format("{}{}e{}{:02}", sign, digits, exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) {
    return fmt::format("{}0.{}{}", sign, std::string(static_cast<std::size_t>(-exponent - 1), '0'),
                       digits);
  }
  const auto before_point = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= before_point) digits.append(before_point - digits.size() + 1, '0');
  digits.insert(before_point, ".");
  return sign + digits;
}

void append_repr(const JsonValue& value, std::string& out) {
  switch (value.type) {
    case JsonType::kString:
      out += fmt::format("'{}'", value.as_string());
      break;
    case JsonType::kBool:
      out += *value.as_bool() ? "True" : "False";
      break;
    case JsonType::kNumber:
      out += value.text.find_first_not_of("-0123456789") == std::string_view::npos
                 ? std::string(value.text)
                 : to_text(Number::real(value.as_double().value_or(0)));
      break;
    default:
      out += "None";
  }
}

}  // namespace

Number round_to_whole(Number x) { return Number::whole(std::nearbyint(x.value)); }

Number round_decimals(Number x, int digits) {
  if (x.is_whole || !std::isfinite(x.value)) return x;
  const std::string text = fixed(x.value, digits);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return Number::real(rounded);
}

Number round_significant(Number x) {
  constexpr double kSmall = 0.01;
  const double size = std::abs(x.value);
  if (size >= kSmall || size == 0) return round2(x);
  return round_decimals(x, std::abs(static_cast<int>(std::floor(std::log10(size)))));
}

std::string to_text(Number x) { return x.is_whole ? fixed(x.value, 0) : real_text(x.value); }
std::string fixed1(double x) { return fixed(x, 1); }
std::string json_text(Number x) { return std::isfinite(x.value) ? to_text(x) : "null"; }

// In pieces, so that nesting is free.
std::string repr(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const char c = json.front();
    std::size_t bytes = 1;
    if (c == ',' || c == ':') {
      out.append(1, c).append(1, ' ');
    } else if (std::string_view("[]{}").find(c) != std::string_view::npos) {
      out += c;
    } else if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      const JsonValue value = parse_value(json);
      if (!value.present()) break;
      append_repr(value, out);
      bytes = static_cast<std::size_t>(value.text.data() - json.data()) + value.text.size() +
              (value.type == JsonType::kString ? 1 : 0);
    }
    json.remove_prefix(bytes);
  }
  return out;
}

double pairwise_sum(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kBlock = 128;
  const std::size_t n = values.size();
  if (n < kLanes) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  if (n > kBlock) {  // halves: the recursion depth is logarithmic
    const std::size_t half = n / 2 / kLanes * kLanes;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  double r[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) r[i] = values[i];
  std::size_t at = kLanes;
  for (; at + kLanes <= n; at += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) r[i] += values[at + i];
  }
  double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; at < n; ++at) sum += values[at];
  return sum;
}

}  // namespace strobe::tensorboard
