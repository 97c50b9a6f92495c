#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "strobe/readers/layout_reading.h"

// Compiled with -mavx2 -mbmi -mbmi2, see cmake/layout_loops.cmake: nothing of this may run before
// the processor was asked, so all of it is in an unnamed namespace. A function of a header that is
// not inlined here would be one that the linker may also use elsewhere; tools/check_own_code looks
// for them.
namespace strobe::readers {
namespace {

using Vector = __m256i;

Vector load_vector(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p)); }
Vector all(char c) { return _mm256_set1_epi8(c); }
std::uint32_t mask_of(Vector matches) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(matches));
}
std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

// Bit i: byte i is a quote, a backslash or a control character.
std::uint32_t string_stops(Vector bytes) {
  const Vector controls = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, all(' ' - 1)), bytes);
  return mask_of(_mm256_or_si256(
      _mm256_or_si256(_mm256_cmpeq_epi8(bytes, all('"')), _mm256_cmpeq_epi8(bytes, all('\\'))),
      controls));
}

// Bit i: byte i is not a digit.
std::uint32_t non_digits(Vector bytes) {
  const Vector values = _mm256_sub_epi8(bytes, all('0'));
  return ~mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(values, all(9)), values));
}

// The number of at most 16 digits, `count` of them, at the front of `bytes`: moved to the end,
// after zeros, neighbours are joined to pairs, quads and eights.
std::uint64_t value_of_digits(__m128i bytes, unsigned count) {
  alignas(32) static constexpr std::uint8_t kMoves[32] = {
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
      0x80, 0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,
      6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
  const __m128i move = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kMoves + count));
  const __m128i digits = _mm_shuffle_epi8(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), move);
  const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));
  const __m128i quads = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
  const __m128i packed = _mm_packus_epi32(quads, quads);
  const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (both & 0xFFFFFFFFu) * 100'000'000u + (both >> 32);
}

// A time as microseconds with three decimals.
const char* read_time(const char* p, std::int64_t& time_ns) {
  constexpr unsigned kMostWhole = 13;  // digits; 1000 times as much fits
  const Vector bytes = load_vector(p);
  const std::uint32_t stops = non_digits(bytes);
  const unsigned whole = _tzcnt_u32(stops);
  const char* const fraction = p + whole + 1;
  const auto decimals = static_cast<unsigned>(_tzcnt_u64(std::uint64_t{stops} >> (whole + 1)));
  const bool is_common = (whole - 1 < kMostWhole) & (p[whole] == '.') & (decimals == 3);
  if (!is_common || !follows_a_value(fraction[3])) return nullptr;
  const auto thousandths =
      static_cast<unsigned>(fraction[0] * 100 + fraction[1] * 10 + fraction[2] - '0' * 111);
  time_ns = static_cast<std::int64_t>(value_of_digits(_mm256_castsi256_si128(bytes), whole) * 1000 +
                                      thousandths);
  return fraction + 3;
}

// Up to 9 digits, which fit into any column.
template <class Number>
const char* read_short_number(const char* p, Number& number) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i values = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const auto digits = static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values)));
  const unsigned count = _tzcnt_u32(~digits);
  if (count - 1 >= 9 || !follows_a_value(p[count])) return nullptr;
  number = static_cast<Number>(value_of_digits(bytes, count));
  return p + count;
}

// A string without escapes.
const char* read_string(const char* p, RawScalar& scalar) {
  if (*p != '"') return nullptr;
  const char* stop = p + 1;
  for (;; stop += 64) {
    const std::uint64_t stops =
        join(string_stops(load_vector(stop)), string_stops(load_vector(stop + 32)));
    if (stops == 0) [[unlikely]]
      continue;
    stop += _tzcnt_u64(stops);
    break;
  }
  if (*stop != '"' || !follows_a_value(stop[1])) return nullptr;
  scalar.type = RawScalar::Type::kString;
  scalar.escaped = false;
  scalar.text = {p + 1, static_cast<std::size_t>(stop - p - 1)};
  return stop + 1;
}

const char* read_digits_as_text(const char* p, RawScalar& scalar) {
  const unsigned count = _tzcnt_u32(non_digits(load_vector(p)));
  if (count - 1 >= 31 || !follows_a_value(p[count])) return nullptr;
  scalar.type = RawScalar::Type::kNumber;
  scalar.escaped = false;
  scalar.text = {p, count};
  return p + count;
}

// A number, or a list without strings and lists in it.
const char* skip(const char* p) {
  const Vector bytes = load_vector(p);
  // Digits, points and signs are '-' to '9'.
  const Vector from_minus = _mm256_sub_epi8(bytes, all('-'));
  const unsigned count = _tzcnt_u32(
      ~mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(from_minus, all('9' - '-')), from_minus)));
  if (count - 1 < 31 && follows_a_value(p[count])) return p + count;
  if (*p != '[') return nullptr;
  const Vector folded = _mm256_or_si256(bytes, all(0x20));  // brackets become braces
  const Vector quotes_or_zeros =
      _mm256_or_si256(_mm256_cmpeq_epi8(bytes, all('"')), _mm256_cmpeq_epi8(bytes, all('\0')));
  const Vector brackets =
      _mm256_or_si256(_mm256_cmpeq_epi8(folded, all('{')), _mm256_cmpeq_epi8(folded, all('}')));
  const unsigned close = _tzcnt_u32(mask_of(_mm256_or_si256(quotes_or_zeros, brackets)) & ~1u);
  return close < 32 && (p[close] | 0x20) == '}' ? p + close + 1 : nullptr;
}

struct Avx2 {
  static bool same_bytes(const char* a, const char* b, std::size_t bytes) {
    for (;; bytes -= 64, a += 64, b += 64) {
      const std::uint64_t others =
          ~join(mask_of(_mm256_cmpeq_epi8(load_vector(a), load_vector(b))),
                mask_of(_mm256_cmpeq_epi8(load_vector(a + 32), load_vector(b + 32))));
      if (bytes <= 64) return _bzhi_u64(others, static_cast<unsigned>(bytes)) == 0;
      if (others != 0) return false;
    }
  }

  static const char* take_common(Field field, const char* p, RawEvent& event) {
    switch (field) {
      case Field::kName:
        return read_string(p, event.name);
      case Field::kTime:
        return read_time(p, event.time_ns);
      case Field::kDuration:
        return read_time(p, event.duration_ns);
      case Field::kId:
        return read_digits_as_text(p, event.id);
      case Field::kCorrelation:
        return read_short_number(p, event.correlation);
      case Field::kExternal:
        return read_short_number(p, event.external);
      case Field::kDevice:
        return read_short_number(p, event.device);
      case Field::kSequence:
        return read_short_number(p, event.sequence_number);
      case Field::kForwardThread:
        return read_short_number(p, event.forward_thread);
      case Field::kSkipped:
        return skip(p);
      default:
        return nullptr;
    }
  }
};

}  // namespace

extern const LayoutLoops kAvx2LayoutLoops;
constinit const LayoutLoops kAvx2LayoutLoops = {{"AVX2", 4}, read_by_layout<Avx2>};

}  // namespace strobe::readers
