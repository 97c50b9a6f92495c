#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::readers {

// A number as written, before it becomes a double: digits * 10^exponent. Units scale by powers of
// ten, so "0.37" in hundredths is exactly 37 and "535.296 us" exactly 535296 ns.
struct Decimal {
  bool is_negative = false;
  std::uint64_t digits = 0;
  int exponent = 0;
};

enum class NumberText : std::uint8_t {
  kNumber,
  kMissing,       // n/a, nan, nothing
  kDecimalComma,  // 1,5 or 1.234,56: another notation, in which 1.234 means 1234
  kOther,
};

// With or without thousands separators: 1,234,567.89.
NumberText parse_decimal(std::string_view text, Decimal& decimal);

// decimal * 10^power, rounded once; infinity if that is too large.
double scaled(const Decimal& decimal, int power = 0);

}  // namespace strobe::readers
