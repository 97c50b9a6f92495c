#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/readers/event_fields.h"

namespace strobe::readers {

// A writer prints the same keys in the same order, so most bytes of an event equal those of the one
// before; only some values change. A layout stores the bytes between the changing values,
//
//     {"ph": "X", "cat": "cpu_op", "name": |"aten::mm"|, "pid": 5, "tid": 5, "ts": |12.5|, "dur":
//     |3|}
//     `------------- fragment ------------'            `--------- fragment --------' `-fragment-'
//
// and an event whose bytes equal the fragments needs no parsing of keys, blanks or commas: equal
// bytes mean equal members. Phase, category, process and thread count as constant; an event with
// other ones has another layout.

// A changing value found by the scanner.
struct NotedValue {
  const char* begin;
  const char* end;
  Field field;
  bool in_args;
};

// The changing values of one event, in order.
class EventNotes {
 public:
  static constexpr std::size_t kMost = 24;

  EventNotes() {}  // PERF: values_ stays unset; one is made for every event and hardly ever used

  void add(const NotedValue& value) {
    if (count_ < kMost) values_[count_] = value;
    ++count_;
  }
  // The event cannot be described by its layout alone.
  void spoil() { count_ = kMost + 1; }
  bool complete() const { return count_ <= kMost; }
  std::size_t size() const { return count_; }
  const char* phase = nullptr;  // position of the phase, if there is one
  const NotedValue& operator[](std::size_t i) const { return values_[i]; }

 private:
  std::array<NotedValue, kMost> values_;
  std::size_t count_ = 0;
};

// Where a layout stopped matching: the caller continues from there.
struct LayoutStop {
  const char* after =
      nullptr;  // one past the last value read; nullptr if the text ends inside the event
  const char* args_open = nullptr;  // the '{' of the arguments, if `after` is inside them
  bool whole = false;               // the event was read to its end, `after` is one past its '}'
};

class EventLayout {
 public:
  // `event` was read from the bytes [open, close) with these notes. `number` is never 0 and never
  // reused. Nothing if the event is too long or has too many values to be worth storing, or has a
  // zero byte between its values.
  static std::optional<EventLayout> of(const char* open, const char* close, const RawEvent& event,
                                       const EventNotes& notes, std::uint32_t number);

  // Whether the event at `open` begins like this layout and text follows.
  bool begins_like(const char* open, const char* end) const;
  // Reads the event at `open`, which begins like this layout, as far as it fits.
  LayoutStop read(const char* open, const char* end, RawEvent& event) const;

 private:
  struct Step {
    std::uint16_t begin = 0;  // of the fragment, in text_
    std::uint16_t bytes = 0;
    std::int16_t args_open = -1;  // positions of the arguments' braces in it
    std::int16_t args_close = -1;
    Field field = Field::kSkipped;  // of the value after it; the last fragment has none
    bool in_args = false;           // whether that value is an argument
  };

  // A value that does not change. It counts as read when its fragment has matched; its text points
  // into text_.
  template <class T>
  struct Constant {
    T value{};
    std::size_t step = 0;
  };

  std::vector<char> text_;  // all fragments end to end, padded
  std::vector<Step> steps_;
  std::uint32_t number_ = 0;
  Constant<char> phase_;
  Constant<RawScalar> category_;
  Constant<RawScalar> process_;
  Constant<RawScalar> thread_;
};

}  // namespace strobe::readers
