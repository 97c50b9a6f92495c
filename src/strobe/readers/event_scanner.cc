#include "strobe/readers/event_scanner.h"

#include <bit>
#include <cstring>

#include "strobe/base/json_scan.h"

namespace strobe::readers {
namespace {

using json::find_string_end;
using json::skip_blanks;
using json::StringEnd;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

const char* skip_digits(const char* p) {
  while (is_digit(*p)) ++p;
  return p;
}

template <std::size_t N>
bool starts_with(const char* p, const char (&text)[N]) {
  return std::memcmp(p, text, N - 1) == 0;
}

// Behind a key's closing quote: over the colon to the value, or nullptr.
inline const char* to_value(const char* p) {
  if (p[0] == ':' && p[1] == ' ' && p[2] > ' ') [[likely]]
    return p + 2;
  p = skip_blanks(p);
  if (*p != ':') return nullptr;
  return skip_blanks(p + 1);
}

// A string whose closing quote is followed by something no JSON continues with had a quote of its
// own inside (some writers do not escape names). It ends at the first quote that makes sense, if
// that stands on the same line and in the same object; otherwise it ended where it did, and the
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

// One past the value, nullptr if the text ends first.
const char* read_scalar(const char* p, const char* end, RawScalar& scalar) {
  if (*p == '"') {
    const StringEnd string = find_string_end(p + 1, end);
    const char* quote = string.quote;
    if (quote == nullptr) return nullptr;
    bool plain = string.plain;
    if (quote[1] != ',' && quote[1] != '}' && quote[1] != '\n') [[unlikely]] {
      const char* sensible = find_sensible_quote(quote, end);
      if (sensible == nullptr) return nullptr;
      plain = plain && sensible == quote;
      quote = sensible;
    }
    scalar = {RawScalar::Type::kString, !plain, {p + 1, static_cast<std::size_t>(quote - p - 1)}};
    return quote + 1;
  }
  const char* after = skip_digits(p);
  if (*after != ',' && *after != '\n') [[unlikely]]
    after = json::skip_value(p, end);
  if (after == nullptr) return nullptr;
  const bool number = is_digit(*p) || *p == '-';
  scalar = {number ? RawScalar::Type::kNumber : RawScalar::Type::kOther,
            false,
            {p, static_cast<std::size_t>(after - p)}};
  return after;
}

// Microseconds, bare or as text. kNoTime stays when it is no number.
const char* read_time(const char* p, const char* end, std::int64_t& time_ns, RawEvent& event) {
  const char* after = json::read_thousandths(*p == '"' ? p + 1 : p, time_ns);
  event.has_bad_time = event.has_bad_time || time_ns == kNoTime;
  if (after < end && *p != '"' && (*after == ',' || *after == '}' || *after == '\n')) [[likely]]
    return after;
  return json::skip_value(p, end);
}

std::int64_t read_number(const char* p) {
  std::int64_t value;
  json::read_integer(*p == '"' ? p + 1 : p, value);
  return value;
}

// The value of a known argument; false for keys we do not pick. `key` is behind the opening quote.
struct Picked {
  std::size_t key_bytes = 0;  // with the closing quote
  enum class Field : std::uint8_t {
    kNone,
    kCorrelation,
    kExternal,
    kDevice,
    kSequence,
    kForwardThread,
    kRelativeStart,
    kRelativeEnd
  } field = Field::kNone;
};

Picked pick(const char* key) {
  using Field = Picked::Field;
  switch (*key) {
    case 'E':
      if (starts_with(key, "External id\"")) return {12, Field::kExternal};
      break;
    case 'c':
      if (starts_with(key, "correlation\"")) return {12, Field::kCorrelation};
      if (starts_with(key, "correlation id\"")) return {15, Field::kCorrelation};
      break;
    case 'd':
      if (starts_with(key, "device\"")) return {7, Field::kDevice};
      break;
    case 'e':
      if (starts_with(key, "external id\"")) return {12, Field::kExternal};
      if (starts_with(key, "end_time\"")) return {9, Field::kRelativeEnd};
      break;
    case 's':
      if (starts_with(key, "start_time\"")) return {11, Field::kRelativeStart};
      break;
    case 'S':
      if (starts_with(key, "Sequence number\"")) return {16, Field::kSequence};
      break;
    case 'F':
      if (starts_with(key, "Fwd thread id\"")) return {14, Field::kForwardThread};
      break;
    default:
      break;
  }
  return {};
}

// Correlation and external ids are 32-bit in every writer we know, though one prints the upper half
// as negative numbers (-1 is none everywhere); wider ones cannot be joined and are marked.
std::uint32_t launch_id(const char* value, bool& wide) {
  const std::int64_t number = read_number(value);
  if (number == json::kNoNumber) return kNoLaunchId;
  if (number < INT32_MIN || number >= kNoLaunchId) {
    wide = wide || number > 0;
    return kNoLaunchId;
  }
  return static_cast<std::uint32_t>(number);
}

void take(Picked::Field field, const char* value, RawEvent& event) {
  using Field = Picked::Field;
  switch (field) {
    case Field::kCorrelation:
      event.correlation = launch_id(value, event.has_wide_id);
      break;
    case Field::kExternal:
      event.external = launch_id(value, event.has_wide_id);
      break;
    case Field::kDevice: {
      const std::int64_t device = read_number(value);
      if (device >= 0 && device < INT32_MAX) event.device = static_cast<std::int32_t>(device);
      break;
    }
    case Field::kSequence:
      event.sequence_number = read_number(value);
      break;
    case Field::kForwardThread:
      event.forward_thread = read_number(value);
      break;
    case Field::kRelativeStart:
      if (*value == '"') json::read_thousandths(value + 1, event.relative_start_ns);
      break;
    case Field::kRelativeEnd:
      if (*value == '"') json::read_thousandths(value + 1, event.relative_end_ns);
      break;
    case Field::kNone:
      break;
  }
}

// `open` is the '{' of args. One past its '}', or nullptr with `result` set.
const char* scan_args(const char* open, const char* end, RawEvent& event, ScanResult& result) {
  const char* p = skip_blanks(open + 1);
  for (;;) {
    if (*p == '}') break;
    if (*p != '"') {
      result = p >= end ? ScanResult::kIncomplete : ScanResult::kMalformed;
      return nullptr;
    }
    const char* key = p + 1;
    const Picked picked = pick(key);
    if (picked.field == Picked::Field::kNone) {
      const StringEnd key_end = find_string_end(key, end);
      p = key_end.quote == nullptr ? nullptr : key_end.quote + 1;
    } else {
      p = key + picked.key_bytes;
    }
    const char* value = p == nullptr ? nullptr : to_value(p);
    const char* after = value == nullptr ? nullptr : skip_digits(value);
    if (after == value || after >= end || (*after != ',' && *after != '\n')) {
      after = value == nullptr ? nullptr : json::skip_value(value, end);
    }
    if (after == nullptr) {
      result = p == nullptr || value != nullptr || skip_blanks(p) >= end ? ScanResult::kIncomplete
                                                                         : ScanResult::kMalformed;
      return nullptr;
    }
    if (picked.field != Picked::Field::kNone) take(picked.field, value, event);
    p = skip_blanks(after);
    if (*p == ',') {
      p = skip_blanks(p + 1);
    } else if (*p != '}') {
      result = p >= end ? ScanResult::kIncomplete : ScanResult::kMalformed;
      return nullptr;
    }
    // Nothing else of a device slice is picked: jump to its end.
    if (event.device >= 0 && event.correlation != kNoLaunchId && event.external != kNoLaunchId) {
      const char* close = json::skip_to_close(p, end);
      if (close == nullptr) {
        result = ScanResult::kIncomplete;
        return nullptr;
      }
      event.args = {open, static_cast<std::size_t>(close - open)};
      return close;
    }
  }
  event.args = {open, static_cast<std::size_t>(p + 1 - open)};
  return p + 1;
}

enum class Key : std::uint8_t {
  kOther,
  kPhase,
  kCategory,
  kName,
  kProcess,
  kThread,
  kTime,
  kDuration,
  kArgs,
  kId,
};

struct KnownKey {
  Key key = Key::kOther;
  std::size_t bytes = 0;  // with the closing quote
};

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

// PERF: one load and a short tree of compares instead of a compare per key. Keys of two letters
// take a neighbour along; writers that put a blank before the colon go the long way and are found
// all the same.
KnownKey known_key(const char* key) {
  switch (load_four(key)) {
    case four_bytes("cat\""):
      return {Key::kCategory, 4};
    case four_bytes("name"):
      if (key[4] == '"') return {Key::kName, 5};
      break;
    case four_bytes("pid\""):
      return {Key::kProcess, 4};
    case four_bytes("tid\""):
      return {Key::kThread, 4};
    case four_bytes("dur\""):
      return {Key::kDuration, 4};
    case four_bytes("args"):
      if (key[4] == '"') return {Key::kArgs, 5};
      break;
    case four_bytes("id2\""):
      return {Key::kId, 4};
    default:
      if (key[2] != '"') break;
      if (key[0] == 'p' && key[1] == 'h') return {Key::kPhase, 3};
      if (key[0] == 't' && key[1] == 's') return {Key::kTime, 3};
      if (key[0] == 'i' && key[1] == 'd') return {Key::kId, 3};
  }
  return {};
}

}  // namespace

// What the keys of an event told, in their order, as far as a layout can use them.
struct EventScanner::KeyOrder {
  bool head_is_plain = true;    // in front of the name: only phase and category, or keys we ignore
  bool middle_is_plain = true;  // between name and time: only process and thread, or keys we ignore
  bool saw_name = false;
  bool phase_in_head = false;
  const char* time_value = nullptr;  // of the first time behind the name

  void note(Key key, const char* value) {
    if (time_value != nullptr) return;
    switch (key) {
      case Key::kName:
        middle_is_plain = middle_is_plain && !saw_name;
        saw_name = true;
        break;
      case Key::kTime:
        if (saw_name) {
          time_value = value;
        } else {
          head_is_plain = false;
        }
        break;
      case Key::kPhase:
        phase_in_head = !saw_name;
        middle_is_plain = middle_is_plain && !saw_name;
        break;
      case Key::kCategory:
        middle_is_plain = middle_is_plain && !saw_name;
        break;
      case Key::kProcess:
      case Key::kThread:
        head_is_plain = head_is_plain && saw_name;
        break;
      case Key::kOther:
        break;
      default:
        head_is_plain = head_is_plain && saw_name;
        middle_is_plain = middle_is_plain && !saw_name;
    }
  }
  bool makes_a_layout() const { return time_value != nullptr && head_is_plain && middle_is_plain; }
};

namespace {

using KeyOrder = EventScanner::KeyOrder;

// The members from `p` on (a key's quote, or the closing brace of an empty object).
ScanResult scan_members(const char* p, const char* end, RawEvent& event, const char*& position,
                        KeyOrder& order) {
  const auto give_up = [&](const char* at) {
    position = at >= end ? end : at;
    return at >= end ? ScanResult::kIncomplete : ScanResult::kMalformed;
  };
  for (;;) {
    if (*p != '"') return give_up(p);
    const KnownKey known = known_key(p + 1);
    const char* key_end;
    if (known.key != Key::kOther) [[likely]] {
      key_end = p + 1 + known.bytes;
    } else {
      const StringEnd string = find_string_end(p + 1, end);
      if (string.quote == nullptr) return give_up(end);
      key_end = string.quote + 1;
    }
    const char* value = to_value(key_end);
    if (value == nullptr) return give_up(skip_blanks(key_end));
    if (value >= end) return give_up(end);
    order.note(known.key, value);
    const char* after;
    switch (known.key) {
      case Key::kPhase:
        event.phase = *value == '"' && value[1] != '"' ? value[1] : '\0';
        after = value[0] == '"' && value[2] == '"' ? value + 3 : json::skip_value(value, end);
        break;
      case Key::kCategory:
        after = read_scalar(value, end, event.category);
        break;
      case Key::kName:
        after = read_scalar(value, end, event.name);
        break;
      case Key::kProcess:
        after = read_scalar(value, end, event.process);
        break;
      case Key::kThread:
        after = read_scalar(value, end, event.thread);
        break;
      case Key::kId:
        after = read_scalar(value, end, event.id);
        break;
      case Key::kTime:
        after = read_time(value, end, event.time_ns, event);
        break;
      case Key::kDuration:
        after = read_time(value, end, event.duration_ns, event);
        break;
      case Key::kArgs:
        if (*value == '{') {
          ScanResult result = ScanResult::kMalformed;
          after = scan_args(value, end, event, result);
          if (after == nullptr) {
            position = result == ScanResult::kIncomplete ? end : value;
            return result;
          }
        } else {
          after = json::skip_value(value, end);
        }
        break;
      case Key::kOther:
      default:
        after = json::skip_value(value, end);
        break;
    }
    if (after == nullptr || after > end) return give_up(end);
    p = skip_blanks(after);
    if (*p == ',') {
      p = skip_blanks(p + 1);
    } else if (*p == '}') {
      position = p + 1;
      return ScanResult::kEvent;
    } else {
      return give_up(p);
    }
  }
}

// The same from just behind a value.
ScanResult scan_rest(const char* after, const char* end, RawEvent& event, const char*& position,
                     KeyOrder& order) {
  const char* p = skip_blanks(after);
  if (*p == '}') {
    position = p + 1;
    return ScanResult::kEvent;
  }
  if (*p != ',') {
    position = p >= end ? end : p;
    return p >= end ? ScanResult::kIncomplete : ScanResult::kMalformed;
  }
  return scan_members(skip_blanks(p + 1), end, event, position, order);
}

}  // namespace

ScanResult EventScanner::scan(const char*& position, const char* end, RawEvent& event) {
  const char* open = position;
  KeyOrder order;
  if (const Layout* layout = find_layout(open, end)) {
    event.phase = layout->phase;
    event.category = layout->category.in(open);
    const char* after = read_scalar(open + layout->head_bytes, end, event.name);
    if (after == nullptr) {
      position = end;
      return ScanResult::kIncomplete;
    }
    if (std::memcmp(after, layout->middle, layout->middle_bytes) == 0) [[likely]] {
      event.process = layout->process.in(after);
      event.thread = layout->thread.in(after);
      after = read_time(after + layout->middle_bytes, end, event.time_ns, event);
      if (after == nullptr) {
        position = end;
        return ScanResult::kIncomplete;
      }
    }
    return scan_rest(after, end, event, position, order);
  }
  const char* p = skip_blanks(open + 1);
  if (*p == '}') {
    position = p + 1;
    return ScanResult::kEvent;
  }
  const ScanResult result = scan_members(p, end, event, position, order);
  if (result == ScanResult::kEvent && order.makes_a_layout()) remember(open, event, order);
  return result;
}

const EventScanner::Layout* EventScanner::find_layout(const char* open, const char* end) {
  const auto fits = [&](std::size_t i) {
    // The bytes behind a match must still be in the text: a value stands there.
    return open + layouts_[i].head_bytes < end &&
           std::memcmp(open, layouts_[i].head, layouts_[i].head_bytes) == 0;
  };
  if (count_ == 0) return nullptr;
  const std::size_t guess = follower_[last_];
  if (fits(guess)) [[likely]] {
    last_ = guess;
    return &layouts_[guess];
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (!fits(i)) continue;
    follower_[last_] = static_cast<std::uint8_t>(i);
    last_ = i;
    return &layouts_[i];
  }
  return nullptr;
}

void EventScanner::remember(const char* open, const RawEvent& event, const KeyOrder& order) {
  const bool quoted = event.name.type == RawScalar::Type::kString;
  if (!quoted || event.category.escaped || event.process.escaped || event.thread.escaped) return;
  const char* name_value = event.name.text.data() - 1;
  const char* name_end = event.name.text.data() + event.name.text.size() + 1;
  const auto head_bytes = static_cast<std::size_t>(name_value - open);
  const auto middle_bytes = static_cast<std::size_t>(order.time_value - name_end);
  if (head_bytes > kMostBytes || middle_bytes > kMostBytes) return;
  // What stands elsewhere is read there.
  const auto place = [](const RawScalar& scalar, const char* base, const char* limit) {
    if (!scalar.present() || scalar.text.data() < base || scalar.text.data() >= limit)
      return Place{};
    return Place{scalar.type, static_cast<std::uint8_t>(scalar.text.data() - base),
                 static_cast<std::uint8_t>(scalar.text.size())};
  };
  const std::size_t slot = count_ < kLayouts ? count_++ : oldest_++ % kLayouts;
  Layout& layout = layouts_[slot];
  layout.head_bytes = static_cast<std::uint8_t>(head_bytes);
  layout.middle_bytes = static_cast<std::uint8_t>(middle_bytes);
  layout.phase = order.phase_in_head ? event.phase : '\0';
  layout.category = place(event.category, open, name_value);
  layout.process = place(event.process, name_end, order.time_value);
  layout.thread = place(event.thread, name_end, order.time_value);
  std::memcpy(layout.head, open, head_bytes);
  std::memcpy(layout.middle, name_end, middle_bytes);
  follower_[last_] = static_cast<std::uint8_t>(slot);
  last_ = slot;
}

const char* find_event_candidate(const char* from, const char* end) {
  for (const char* p = from; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return nullptr;
    const char* before = p;
    while (before > from && static_cast<unsigned char>(before[-1]) <= ' ') --before;
    if (before == from || before[-1] != ',') continue;
    const char* key = skip_blanks(p + 1);
    if (*key == '"' && known_key(key + 1).key != Key::kOther) return p;
  }
  return nullptr;
}

}  // namespace strobe::readers
