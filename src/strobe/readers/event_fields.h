#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "strobe/trace/trace.h"

namespace strobe::readers {

// A JSON scalar as in the text: strings without their quotes, escapes not resolved.
struct RawScalar {
  enum class Type : std::uint8_t { kAbsent, kNumber, kString, kOther };
  Type type = Type::kAbsent;
  bool escaped = false;  // a string with a backslash, a control character or an inner quote
  std::string_view text;

  bool present() const { return type != Type::kAbsent; }
};

inline constexpr std::int64_t kNoTime = INT64_MIN;

// Times of all formats lie between this and its negative, so that sums of two do not overflow.
inline constexpr std::int64_t kLatestTime_ns = std::int64_t{1} << 62;

// One element of the event array, as the scanner returns it. Views point into the scanned block.
struct RawEvent {
  std::uint64_t byte_offset = 0;  // of its '{' in the uncompressed text
  // Events of one shard with the same number have the same phase, category, process and thread; 0:
  // unknown.
  std::uint32_t layout = 0;
  char phase = 0;             // 0 if absent
  bool has_bad_time = false;  // a ts or dur that is not a number
  bool has_wide_id = false;   // a correlation or external id over 32 bits
  RawScalar name;
  RawScalar category;
  RawScalar process;
  RawScalar thread;
  RawScalar id;
  std::int64_t time_ns = kNoTime;
  std::int64_t duration_ns = kNoTime;
  std::string_view args;  // the whole object with its braces, empty if absent
  // Extracted from args during the scan, because the columns need them.
  std::uint32_t correlation = kNoLaunchId;
  std::uint32_t external = kNoLaunchId;
  std::int32_t device = -1;
  std::int64_t sequence_number = -1;
  std::int64_t forward_thread = 0;
  std::int64_t relative_start_ns = kNoTime;  // args.start_time and end_time: "12.345 us"
  std::int64_t relative_end_ns = kNoTime;
};

// The members of an event that the reader uses, by their keys, and how their values are read into a
// RawEvent. All texts are in buffers padded as base/json_scan.h requires; a reader returns one past
// the value, or nullptr if the text ends first.
enum class Field : std::uint8_t {
  kSkipped,  // stepped over
  // Members of the event itself. The first four hardly change from event to event.
  kPhase,
  kCategory,
  kProcess,
  kThread,
  kName,
  kTime,
  kDuration,
  kId,
  kArgs,
  kAttributes,  // "attr": arguments, if there are no others
  // Members of its arguments.
  kCorrelation,
  kExternal,
  kDevice,
  kSequence,
  kForwardThread,
  kRelativeStart,
  kRelativeEnd,
};

struct KnownKey {
  Field field = Field::kSkipped;
  std::size_t bytes = 0;  // with the closing quote
};

// `key` is after the opening quote. kSkipped for keys that are not used.
KnownKey event_key(const char* key);
KnownKey argument_key(const char* key);

// What nearly always comes after a value; other bytes need a closer look.
constexpr bool follows_a_value(char c) { return (c == ',') | (c == '}') | (c == '\n'); }

// Reads one value of an event; arguments that are objects are skipped.
const char* take_value(Field field, const char* value, const char* end, RawEvent& event);

}  // namespace strobe::readers
