#include "strobe/base/json_scan.h"

#include <bit>
#include <cstring>
#include <limits>

#include "strobe/base/text.h"

namespace strobe::json {
namespace {

constexpr int kMaxDigits = 18;  // fewer digits than any int64 overflow needs

bool ends_scalar(char c) {
  return c == ',' || c == '}' || c == ']' || c == ':' || static_cast<unsigned char>(c) <= ' ';
}

constexpr std::uint64_t kPowersOfTen[] = {1,       10,        100,        1'000,      10'000,
                                          100'000, 1'000'000, 10'000'000, 100'000'000};

// Reads up to eight digits at the front of a text without a loop: one word is tested and reduced as
// a whole, from pairs to quads to eight.
struct Digits {
  std::uint32_t value = 0;
  int count = 0;
};

inline Digits read_digits(const char* p) {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  const std::uint64_t bytes = word ^ 0x3030303030303030u;  // digits become 0..9, nothing else does
  const std::uint64_t strangers = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
  const int count = strangers == 0 ? 8 : std::countr_zero(strangers) / 8;
  if (count == 0) return {};
  // Shifted up, the digits are at the end of the word, after zeros.
  const std::uint64_t digits = bytes << (64 - 8 * count);
  const std::uint64_t pairs = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFu;
  const std::uint64_t quads = (pairs * 100 + (pairs >> 16)) & 0x0000FFFF0000FFFFu;
  return {static_cast<std::uint32_t>(quads * 10000 + (quads >> 32)), count};
}

struct Decimal {
  bool negative = false;
  bool overflow = false;
  bool has_digits = false;
  std::uint64_t whole = 0;
};

const char* read_whole_slow(const char* p, Decimal& decimal) {
  while (*p == '0') ++p;
  const char* significant = p;
  decimal.whole = 0;
  for (; is_digit(*p); ++p) {
    if (p - significant < kMaxDigits) {
      decimal.whole = decimal.whole * 10 + static_cast<std::uint64_t>(*p - '0');
    } else {
      decimal.overflow = true;
    }
  }
  return p;
}

inline const char* read_whole(const char* p, Decimal& decimal) {
  if (*p == '-' || *p == '+') decimal.negative = *p++ == '-';
  const Digits first = read_digits(p);
  decimal.has_digits = first.count > 0;
  decimal.whole = first.value;
  if (first.count < 8) return p + first.count;
  const Digits second = read_digits(p + 8);
  decimal.whole = decimal.whole * kPowersOfTen[second.count] + second.value;
  if (second.count < 8) return p + 8 + second.count;
  return read_whole_slow(p, decimal);
}

// A number with an exponent, or with more digits than the fast path holds: decimal shifting on the
// digit string.
const char* read_thousandths_slow(const char* p, std::int64_t& value) {
  value = kNoNumber;
  bool negative = false;
  if (*p == '-' || *p == '+') negative = *p++ == '-';
  char digits[64];
  int count = 0;
  int point = 0;  // digits before the decimal point
  bool seen_point = false;
  bool any = false;
  for (; is_digit(*p) || (*p == '.' && !seen_point); ++p) {
    if (*p == '.') {
      seen_point = true;
      continue;
    }
    any = true;
    if (!seen_point && (count > 0 || *p != '0')) ++point;
    if (count == 0 && *p == '0') {
      if (seen_point) --point;
      continue;
    }
    if (count < static_cast<int>(sizeof digits)) digits[count++] = *p;
  }
  if (!any) return p;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    bool negative_exponent = false;
    if (*q == '-' || *q == '+') negative_exponent = *q++ == '-';
    int exponent = 0;
    while (is_digit(*q))
      exponent = exponent < 10000 ? exponent * 10 + (*q++ - '0') : (++q, exponent);
    point += negative_exponent ? -exponent : exponent;
    p = q;
  }
  const int kept = point + 3;  // digits of the result
  if (count == 0 || kept < 0) {
    value = 0;
    return p;
  }
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  value = negative ? -kLargest : kLargest;
  if (kept > kMaxDigits + 1) return p;
  std::uint64_t result = 0;
  for (int i = 0; i < kept; ++i) {
    result = result * 10 + static_cast<std::uint64_t>(i < count ? digits[i] - '0' : 0);
  }
  if (kept < count && digits[kept] >= '5') ++result;
  if (result > static_cast<std::uint64_t>(kLargest)) return p;
  value = negative ? -static_cast<std::int64_t>(result) : static_cast<std::int64_t>(result);
  return p;
}

}  // namespace

StringEnd find_string_end_slow(const char* stop, const char* end) {
  for (;;) {
    if (stop >= end) return {nullptr, false};
    if (*stop == '"') return {stop, false};
    stop = simd::find_string_stop(stop + (*stop == '\\' ? 2 : 1));
  }
}

const char* skip_to_close(const char* p, const char* end) {
  std::size_t depth = 1;
  for (;;) {
    p = simd::find_structure(p);
    if (p >= end) return nullptr;
    switch (*p) {
      case '"': {
        const StringEnd string = find_string_end(p + 1, end);
        if (string.quote == nullptr) return nullptr;
        p = string.quote + 1;
        break;
      }
      case '{':
      case '[':
        ++depth;
        ++p;
        break;
      case '}':
      case ']':
        ++p;
        if (--depth == 0) return p;
        break;
      default:
        ++p;  // a zero byte inside the text
    }
  }
}

const char* skip_value(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    const StringEnd string = find_string_end(p + 1, end);
    return string.quote == nullptr ? nullptr : string.quote + 1;
  }
  if (*p == '{' || *p == '[') return skip_to_close(p + 1, end);
  while (!ends_scalar(*p)) ++p;
  return p >= end ? nullptr : p;
}

const char* read_thousandths(const char* p, std::int64_t& value) {
  const char* begin = p;
  Decimal decimal;
  p = read_whole(p, decimal);
  std::uint64_t thousandths = 0;
  bool has_digits = decimal.has_digits;
  if (*p == '.') {
    const Digits fraction = read_digits(++p);
    has_digits = has_digits || fraction.count > 0;
    p += fraction.count;
    if (fraction.count <= 3) [[likely]] {
      thousandths = fraction.value * kPowersOfTen[3 - fraction.count];
    } else {
      const std::uint64_t four_places = fraction.value / kPowersOfTen[fraction.count - 4];
      thousandths = four_places / 10 + (four_places % 10 >= 5 ? 1 : 0);
      while (is_digit(*p)) ++p;
    }
  }
  // Times 1000, numbers below 9e15 fit; larger ones and exponents take the slow path.
  if (decimal.overflow || decimal.whole >= 9'000'000'000'000'000u || *p == 'e' || *p == 'E')
      [[unlikely]] {
    return read_thousandths_slow(begin, value);
  }
  if (!has_digits) {
    value = kNoNumber;
    return p;
  }
  const auto magnitude = static_cast<std::int64_t>(decimal.whole * 1000 + thousandths);
  value = decimal.negative ? -magnitude : magnitude;
  return p;
}

const char* read_integer(const char* p, std::int64_t& value) {
  Decimal decimal;
  p = read_whole(p, decimal);
  if (!decimal.has_digits || decimal.overflow) {
    value = kNoNumber;
  } else {
    value = decimal.negative ? -static_cast<std::int64_t>(decimal.whole)
                             : static_cast<std::int64_t>(decimal.whole);
  }
  while (!ends_scalar(*p)) ++p;
  return p;
}

}  // namespace strobe::json
