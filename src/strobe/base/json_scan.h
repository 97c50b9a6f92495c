#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/base/simd.h"

// The fast, tolerant part of our JSON code: steps over text without building anything. All
// functions expect a text in a buffer with simd::kSimdPadding zero bytes after `end`, never read
// further, and return nullptr if the text ends too early.
namespace strobe::json {

inline constexpr std::int64_t kNoNumber = INT64_MIN;

inline const char* skip_blanks(const char* p) { return simd::skip_blanks(p); }

struct StringEnd {
  const char* quote = nullptr;  // the closing quote, nullptr if the text ends first
  bool plain = true;            // neither escapes nor control characters inside
};

StringEnd find_string_end_slow(const char* stop, const char* end);

// `p` is the first byte after the opening quote. Control characters are tolerated.
inline StringEnd find_string_end(const char* p, const char* end) {
  const char* stop = simd::find_string_stop(p);
  if (*stop == '"') [[likely]]
    return {stop, true};
  return find_string_end_slow(stop, end);
}

// Steps over one value of any type; `p` is its first byte. Nesting is counted, not recursed into.
const char* skip_value(const char* p, const char* end);

// From anywhere inside an object or array, outside of strings, to one past its closing bracket.
const char* skip_to_close(const char* p, const char* end);

// Reads a decimal number times 1000, rounded half away from zero, without passing through a double:
// microseconds become nanoseconds. Accepts a sign, a fraction of any length and an exponent.
// Returns one past the number; `value` is kNoNumber when there is no number, and the largest or
// smallest int64 (less one) when it does not fit.
const char* read_thousandths(const char* p, std::int64_t& value);

// Digits only, with an optional sign; a fraction or exponent is stepped over and dropped.
const char* read_integer(const char* p, std::int64_t& value);

}  // namespace strobe::json
