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

// A fragment and the value after it.
struct LayoutStep {
  std::uint16_t begin = 0;  // of the fragment, in the layout's text
  std::uint16_t bytes = 0;
  std::int16_t args_open = -1;  // positions of the arguments' braces in it
  std::int16_t args_close = -1;
  Field field = Field::kSkipped;  // of the value after it; the last fragment has none
  bool in_args = false;           // whether that value is an argument
  bool has_brace = false;         // of the arguments
};

// A value that does not change. It counts as read when its fragment has matched; its text points
// into the layout's.
template <class T>
struct Constant {
  T value{};
  std::size_t step = 0;
};

// A layout as the loops over the bytes of an event see it (layout_loops.h).
struct LayoutView {
  const char* text = nullptr;  // all fragments end to end, padded
  const LayoutStep* steps = nullptr;
  std::size_t last = 0;  // step
  std::uint32_t number = 0;
  Constant<char> phase;
  Constant<RawScalar> category;
  Constant<RawScalar> process;
  Constant<RawScalar> thread;
};

class EventLayout {
 public:
  // `event` was read from the bytes [open, close) with these notes. `number` is never 0 and never
  // reused. Nothing if the event is too long or has too many values to be worth storing, or has a
  // zero byte between its values.
  static std::optional<EventLayout> of(const char* open, const char* close, const RawEvent& event,
                                       const EventNotes& notes, std::uint32_t number);

  const LayoutView& view() const { return view_; }

 private:
  std::vector<char> text_;
  std::vector<LayoutStep> steps_;
  LayoutView view_;  // of these two, which keep their places when a layout moves
};

}  // namespace strobe::readers
