#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>

// The plugin's arithmetic and formatting: Python's two kinds of numbers and its rounding.
namespace strobe::tensorboard {

// A JSON number without fraction or exponent is whole, and sums, differences and products of whole
// numbers stay whole. The kind shows only in the text of a number: 5 or 5.0. Whole numbers are
// exact up to 2^53.
struct Number {
  double value = 0;
  bool is_whole = true;

  static constexpr Number whole(double value) { return {value, true}; }
  static constexpr Number real(double value) { return {value, false}; }

  friend constexpr Number operator+(Number a, Number b) {
    return {a.value + b.value, a.is_whole && b.is_whole};
  }
  friend constexpr Number operator-(Number a, Number b) {
    return {a.value - b.value, a.is_whole && b.is_whole};
  }
  friend constexpr Number operator*(Number a, Number b) {
    return {a.value * b.value, a.is_whole && b.is_whole};
  }
  Number& operator+=(Number other) { return *this = *this + other; }
  Number& operator-=(Number other) { return *this = *this - other; }

  friend constexpr bool operator==(Number a, Number b) { return a.value == b.value; }
  friend constexpr auto operator<=>(Number a, Number b) { return a.value <=> b.value; }
};

// 0 where the plugin divided by zero and dropped the file.
constexpr Number ratio(Number a, Number b) {
  return Number::real(b.value == 0 ? 0.0 : a.value / b.value);
}

// Returns one operand unchanged, kind included; the first if they are equal.
constexpr Number smaller(Number a, Number b) { return b < a ? b : a; }
constexpr Number larger(Number a, Number b) { return a < b ? b : a; }

Number round_to_whole(Number x);              // ties to even
Number round_decimals(Number x, int digits);  // on the exact binary value; whole stays whole
inline Number round2(Number x) { return round_decimals(x, 2); }
Number round_significant(Number x);  // two decimals, or for small values the first non-zero digit

// The shortest text that reads back: 5, 5.0, 1e-05, 1e+16.
std::string to_text(Number x);
std::string fixed1(double x);  // one decimal: "42.0"

// For JsonWriter::value(Number).
std::string json_text(Number x);

// A JSON value in Python's notation: [a, b], None, 'text'.
std::string repr(std::string_view json);

class KahanSum {
 public:
  void add(double x) {
    const double y = x - lost_;
    const double t = sum_ + y;
    lost_ = (t - sum_) - y;
    sum_ = t;
  }
  double sum() const { return sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

// Eight running sums in blocks of at most 128, added in halves: the order affects the result.
double pairwise_sum(std::span<const double> values);

}  // namespace strobe::tensorboard
