#include "strobe/readers/counters/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostExactPower = 22;
constexpr std::uint64_t kMostExactDigits = std::uint64_t{1} << 53;
constexpr std::uint64_t kFullDigits = std::numeric_limits<std::uint64_t>::max() / 10 - 1;
constexpr int kMostExponent = 1000;  // far outside what a double holds

bool equal_in_any_case(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, lower);
}

bool is_missing(std::string_view text) {
  constexpr std::string_view kWords[] = {"n/a", "nan", "-nan", "(nan)", "na", "null", "none", "-"};
  return text.empty() || std::any_of(std::begin(kWords), std::end(kWords),
                                     [&](auto word) { return equal_in_any_case(text, word); });
}

// Digits beyond 64 bits only count by their position: a double could not hold them anyway.
class Digits {
 public:
  explicit Digits(Decimal& decimal) : decimal_(&decimal) {}

  void add(char digit, bool is_fraction) {
    if (decimal_->digits > kFullDigits) {
      if (!is_fraction) ++decimal_->exponent;
      return;
    }
    decimal_->digits = decimal_->digits * 10 + static_cast<std::uint64_t>(digit - '0');
    if (is_fraction) --decimal_->exponent;
  }

 private:
  Decimal* decimal_;
};

// 1,5 and 1.234,56 and 1 234,56: digits with separators of other countries.
bool is_other_country(std::string_view text) {
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto commas = std::count(text.begin(), text.end(), ',');
  if (!std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || c == '.' || c == ',' || c == ' ' || (c & 0x80) != 0;
      })) {
    return false;
  }
  if (std::none_of(text.begin(), text.end(), is_digit)) return false;
  if (commas == 0) return points > 1;
  if (points > 0 && text.rfind('.') < text.rfind(',')) return true;
  if (commas > 1 || points > 0) return false;  // 12,34,567: groups, not a decimal comma
  const std::size_t comma = text.find(',');
  return text.size() - comma - 1 != 3 || comma == 0 || text.front() == '0' || comma > 3;
}

bool parse_exponent(std::string_view text, Decimal& decimal) {
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  decimal.exponent += std::clamp(exponent, -kMostExponent, kMostExponent);
  return true;
}

bool parse_plain(std::string_view text, Decimal& decimal) {
  Digits digits(decimal);
  std::size_t at = 0;
  std::size_t group = 0;  // digits since the last comma
  std::size_t commas = 0;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == ','); ++at) {
    if (text[at] == ',') {
      const bool is_right = commas == 0 ? group >= 1 && group <= 3 : group == 3;
      if (!is_right || text.front() == '0') return false;
      ++commas;
      group = 0;
      continue;
    }
    digits.add(text[at], false);
    ++group;
  }
  if (commas > 0 && group != 3) return false;
  std::size_t all = at;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++all) digits.add(text[at], true);
  }
  return all > 0 && parse_exponent(text.substr(at), decimal);
}

}  // namespace

NumberText parse_decimal(std::string_view text, Decimal& decimal) {
  decimal = {};
  text = trimmed(text);
  if (is_missing(text)) return NumberText::kMissing;
  if (text.front() == '-' || text.front() == '+') {
    decimal.is_negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (parse_plain(text, decimal)) return NumberText::kNumber;
  return is_other_country(text) ? NumberText::kDecimalComma : NumberText::kOther;
}

double scaled(const Decimal& decimal, int power) {
  const int exponent = decimal.exponent + power;
  double value = 0;
  if (decimal.digits == 0) {
    value = 0;
  } else if (decimal.digits <= kMostExactDigits && exponent >= 0 && exponent <= kMostExactPower) {
    value = static_cast<double>(decimal.digits) * kPowers[exponent];
  } else if (decimal.digits <= kMostExactDigits && exponent < 0 && exponent >= -kMostExactPower) {
    value = static_cast<double>(decimal.digits) / kPowers[-exponent];
  } else {
    char text[48];
    char* end = std::to_chars(text, text + 24, decimal.digits).ptr;
    *end++ = 'e';
    end = std::to_chars(end, text + sizeof(text), exponent).ptr;
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error == std::errc::result_out_of_range) {
      value = exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
    }
  }
  return decimal.is_negative ? -value : value;
}

}  // namespace strobe::readers
