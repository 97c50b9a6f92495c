#pragma once

#include <cstddef>

#include "strobe/readers/event_fields.h"
#include "strobe/readers/event_layout.h"
#include "strobe/readers/layout_loops.h"

namespace strobe::readers {

// The loop itself. `Bytes` is a type of the including source:
//
//   same_bytes(a, b, n)         compares a fragment with the text; both are padded
//   take_common(field, p, e)    reads a value of a common form and returns one past it; nullptr,
//   and
//                               nothing read, for all others, which take_value reads
//
// If it is in an unnamed namespace, the code made from this is as well, and the linker cannot use
// it in place of that of another source.
template <class Bytes>
LayoutStop read_by_layout(const LayoutView& layout, const char* open, const char* end,
                          RawEvent& event) {
  using Reason = LayoutStop::Reason;
  const LayoutStep* step = layout.steps;
  const LayoutStep* const last = step + layout.last;
  const char* p = open;
  const char* args_open = nullptr;
  if (static_cast<std::size_t>(end - open) <= step->bytes) return {};
  for (;; ++step) {
    if (!Bytes::same_bytes(p, layout.text + step->begin, step->bytes)) [[unlikely]]
      break;
    const char* const value = p + step->bytes;
    const char* after = nullptr;
    if (step != last) {
      after = Bytes::take_common(step->field, value, event);
      if (after == nullptr) [[unlikely]] {
        // The text may have a blank where the layout has none: then the value does not begin here.
        if (static_cast<unsigned char>(*value) <= ' ') break;
        after = take_value(step->field, value, end, event);
        if (after == nullptr || after > end) return {Reason::kTextEnded, end, nullptr};
      }
    }
    if (step->has_brace) {
      if (step->args_open >= 0) args_open = p + step->args_open;
      if (step->args_close >= 0) {
        event.args = {args_open, static_cast<std::size_t>(p + step->args_close + 1 - args_open)};
      }
    }
    if (step == last) {
      if (value > end) return {Reason::kTextEnded, end, nullptr};
      event.phase = layout.phase.value;
      event.category = layout.category.value;
      event.process = layout.process.value;
      event.thread = layout.thread.value;
      event.layout = layout.number;
      return {Reason::kWhole, value, nullptr};
    }
    p = after;
  }
  const auto matched = static_cast<std::size_t>(step - layout.steps);
  if (matched == 0) return {};
  if (layout.phase.step < matched) event.phase = layout.phase.value;
  if (layout.category.step < matched) event.category = layout.category.value;
  if (layout.process.step < matched) event.process = layout.process.value;
  if (layout.thread.step < matched) event.thread = layout.thread.value;
  return {Reason::kDiffers, p, step[-1].in_args ? args_open : nullptr};
}

}  // namespace strobe::readers
