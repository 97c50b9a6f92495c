#include "strobe/readers/event_fields.h"

#include <bit>
#include <cstring>

#include "strobe/base/json_scan.h"
#include "strobe/base/text.h"

namespace strobe::readers {
namespace {

using json::find_string_end;
using json::skip_blanks;
using json::StringEnd;

const char* skip_digits(const char* p) {
  while (is_digit(*p)) ++p;
  return p;
}

template <std::size_t N>
bool starts_with(const char* p, const char (&text)[N]) {
  return std::memcmp(p, text, N - 1) == 0;
}

constexpr std::uint32_t four_bytes(const char (&text)[5]) {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(text[i]);
  return word;
}

std::uint32_t load_four(const char* p) {
  static_assert(std::endian::native == std::endian::little, "four_bytes spells words this way");
  std::uint32_t word;
  std::memcpy(&word, p, 4);
  return word;
}

// If something follows a string's closing quote that cannot follow in JSON, the string had a quote
// inside (some writers do not escape names). It then ends at the first quote that makes sense, if
// that is on the same line and in the same object; otherwise it ends at the first quote, and the
// object is broken. nullptr if the text ends first.
const char* find_sensible_quote(const char* quote, const char* end) {
  const char* sensible = quote;
  for (;;) {
    const char* next = skip_blanks(sensible + 1);
    if (next >= end) return nullptr;
    if (*next == ',' || *next == '}' || *next == ']') return sensible;
    const char* p = sensible + 1;
    for (; p < end && *p != '"'; ++p) {
      if (*p == '\n' || (*p == '}' && p[1] == ',')) return quote;
    }
    if (p >= end) return nullptr;
    sensible = p;
  }
}

const char* read_scalar(const char* p, const char* end, RawScalar& scalar) {
  if (*p == '"') {
    const StringEnd string = find_string_end(p + 1, end);
    const char* quote = string.quote;
    if (quote == nullptr) return nullptr;
    bool plain = string.plain;
    if (!follows_a_value(quote[1])) [[unlikely]] {
      const char* sensible = find_sensible_quote(quote, end);
      if (sensible == nullptr) return nullptr;
      plain = plain && sensible == quote;
      quote = sensible;
    }
    scalar = {RawScalar::Type::kString, !plain, {p + 1, static_cast<std::size_t>(quote - p - 1)}};
    return quote + 1;
  }
  const char* after = skip_digits(p);
  if (!follows_a_value(*after)) [[unlikely]]
    after = json::skip_value(p, end);
  if (after == nullptr) return nullptr;
  const bool number = is_digit(*p) || *p == '-';
  scalar = {number ? RawScalar::Type::kNumber : RawScalar::Type::kOther,
            false,
            {p, static_cast<std::size_t>(after - p)}};
  return after;
}

// PERF: apart, so that times as numbers are read in place.
[[gnu::noinline]] const char* behind_odd_time(const char* p, const char* after, const char* end) {
  if (*p == '"' && *after == '"' && follows_a_value(after[1])) return after + 1;
  return json::skip_value(p, end);
}

// Microseconds, as a number or as text.
const char* read_time(const char* p, const char* end, std::int64_t& time_ns, bool& has_bad_time) {
  const bool quoted = *p == '"';
  const char* after = json::read_thousandths(quoted ? p + 1 : p, time_ns);
  has_bad_time = has_bad_time || time_ns == kNoTime;
  if (!quoted && follows_a_value(*after)) [[likely]]
    return after;
  return behind_odd_time(p, after, end);
}

const char* read_number(const char* p, const char* end, std::int64_t& value) {
  const bool bare = is_digit(*p) || *p == '-';
  const char* after = json::read_integer(*p == '"' ? p + 1 : p, value);
  if (bare && follows_a_value(*after)) [[likely]]
    return after;
  return json::skip_value(p, end);
}

// Correlation and external ids have 32 bits in every known writer, though one prints the upper half
// as negative numbers (-1 always means none); wider ones cannot be joined and are marked.
const char* read_launch_id(const char* p, const char* end, std::uint32_t& id, bool& has_wide_id) {
  std::int64_t number;
  const char* after = read_number(p, end, number);
  const bool fits = number >= INT32_MIN && number < kNoLaunchId;
  has_wide_id = has_wide_id || (!fits && number > 0);
  id = fits ? static_cast<std::uint32_t>(number) : kNoLaunchId;
  return after;
}

const char* skip(const char* p, const char* end) {
  const char* after = p;
  while (*after >= '-' && *after <= '9') ++after;  // digits, points and signs
  if (after != p && follows_a_value(*after)) [[likely]]
    return after;
  return json::skip_value(p, end);
}

}  // namespace

// PERF: one load and a short tree of compares instead of a compare per key.
KnownKey event_key(const char* key) {
  switch (load_four(key)) {
    case four_bytes("cat\""):
      return {Field::kCategory, 4};
    case four_bytes("name"):
      if (key[4] == '"') return {Field::kName, 5};
      break;
    case four_bytes("pid\""):
      return {Field::kProcess, 4};
    case four_bytes("tid\""):
      return {Field::kThread, 4};
    case four_bytes("dur\""):
      return {Field::kDuration, 4};
    case four_bytes("args"):
      if (key[4] == '"') return {Field::kArgs, 5};
      break;
    case four_bytes("attr"):
      if (key[4] == '"') return {Field::kAttributes, 5};
      break;
    case four_bytes("id2\""):
      return {Field::kId, 4};
    default:
      if (key[2] != '"') break;
      if (key[0] == 'p' && key[1] == 'h') return {Field::kPhase, 3};
      if (key[0] == 't' && key[1] == 's') return {Field::kTime, 3};
      if (key[0] == 'i' && key[1] == 'd') return {Field::kId, 3};
  }
  return {};
}

KnownKey argument_key(const char* key) {
  switch (*key) {
    case 'E':
      if (starts_with(key, "External id\"")) return {Field::kExternal, 12};
      break;
    case 'c':
      if (starts_with(key, "correlation\"")) return {Field::kCorrelation, 12};
      if (starts_with(key, "correlation id\"")) return {Field::kCorrelation, 15};
      if (starts_with(key, "correlation_id\"")) return {Field::kCorrelation, 15};
      break;
    case 'd':
      if (starts_with(key, "device\"")) return {Field::kDevice, 7};
      break;
    case 'e':
      if (starts_with(key, "external id\"")) return {Field::kExternal, 12};
      if (starts_with(key, "end_time\"")) return {Field::kRelativeEnd, 9};
      break;
    case 's':
      if (starts_with(key, "start_time\"")) return {Field::kRelativeStart, 11};
      if (starts_with(key, "step_num\"")) return {Field::kSequence, 9};
      break;
    case 'S':
      if (starts_with(key, "Sequence number\"")) return {Field::kSequence, 16};
      break;
    case 'F':
      if (starts_with(key, "Fwd thread id\"")) return {Field::kForwardThread, 14};
      break;
    default:
      break;
  }
  return {};
}

const char* take_value(Field field, const char* value, const char* end, RawEvent& event) {
  switch (field) {
    case Field::kPhase:
      event.phase = *value == '"' && value[1] != '"' ? value[1] : '\0';
      return json::skip_value(value, end);
    case Field::kCategory:
      return read_scalar(value, end, event.category);
    case Field::kProcess:
      return read_scalar(value, end, event.process);
    case Field::kThread:
      return read_scalar(value, end, event.thread);
    case Field::kName:
      return read_scalar(value, end, event.name);
    case Field::kId:
      return read_scalar(value, end, event.id);
    case Field::kTime:
      return read_time(value, end, event.time_ns, event.has_bad_time);
    case Field::kDuration:
      return read_time(value, end, event.duration_ns, event.has_bad_time);
    case Field::kCorrelation:
      return read_launch_id(value, end, event.correlation, event.has_wide_id);
    case Field::kExternal:
      return read_launch_id(value, end, event.external, event.has_wide_id);
    case Field::kDevice: {
      std::int64_t device;
      const char* after = read_number(value, end, device);
      event.device = device >= 0 && device < INT32_MAX ? static_cast<std::int32_t>(device) : -1;
      return after;
    }
    case Field::kSequence:
      return read_number(value, end, event.sequence_number);
    case Field::kForwardThread:
      return read_number(value, end, event.forward_thread);
    case Field::kRelativeStart:
      if (*value == '"') json::read_thousandths(value + 1, event.relative_start_ns);
      return json::skip_value(value, end);
    case Field::kRelativeEnd:
      if (*value == '"') json::read_thousandths(value + 1, event.relative_end_ns);
      return json::skip_value(value, end);
    case Field::kSkipped:
    case Field::kArgs:
    case Field::kAttributes:
      return skip(value, end);
  }
  return nullptr;
}

}  // namespace strobe::readers
