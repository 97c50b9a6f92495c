#include "strobe/readers/event_layout.h"

#include <algorithm>
#include <cstring>

#include "strobe/base/simd.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostFragmentBytes = 1024;  // of one event

std::uint64_t load_eight(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// Both sides are padded, so whole words can be read; bytes past the end are shifted out.
inline bool same_bytes(const char* a, const char* b, std::size_t bytes) {
  for (; bytes > 8; bytes -= 8, a += 8, b += 8) {
    if (load_eight(a) != load_eight(b)) return false;
  }
  return bytes == 0 || (load_eight(a) ^ load_eight(b)) << (64 - 8 * bytes) == 0;
}

// The text may have a blank where the layout has none: then the value does not begin here.
bool is_value_at(const char* p) { return static_cast<unsigned char>(*p) > ' '; }

}  // namespace

std::optional<EventLayout> EventLayout::of(const char* open, const char* close,
                                           const RawEvent& event, const EventNotes& notes,
                                           std::uint32_t number) {
  if (!notes.complete()) return std::nullopt;
  EventLayout layout;
  std::vector<const char*> sources;  // where each fragment stands in the event
  const char* args_close = event.args.empty() ? nullptr : event.args.data() + event.args.size() - 1;
  const auto add = [&](const char* begin, const char* end, Field field, bool in_args) {
    Step step;
    step.begin = static_cast<std::uint16_t>(layout.text_.size());
    step.bytes = static_cast<std::uint16_t>(end - begin);
    step.field = field;
    step.in_args = in_args;
    const auto place_of = [&](const char* p) {
      return static_cast<std::int16_t>(p != nullptr && p >= begin && p < end ? p - begin : -1);
    };
    step.args_open = place_of(event.args.empty() ? nullptr : event.args.data());
    step.args_close = place_of(args_close);
    layout.text_.insert(layout.text_.end(), begin, end);
    layout.steps_.push_back(step);
    sources.push_back(begin);
  };
  const char* p = open;
  std::size_t fragment_bytes = static_cast<std::size_t>(close - open);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    fragment_bytes -= static_cast<std::size_t>(notes[i].end - notes[i].begin);
  }
  if (fragment_bytes > kMostFragmentBytes) return std::nullopt;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    add(p, notes[i].begin, notes[i].field, notes[i].in_args);
    p = notes[i].end;
  }
  add(p, close, Field::kSkipped, false);
  // Fragments without zero bytes differ from the padding after the text, so no comparison goes on
  // behind it.
  if (std::ranges::find(layout.text_, '\0') != layout.text_.end()) return std::nullopt;
  layout.text_.resize(layout.text_.size() + simd::kSimdPadding);

  // The step whose fragment holds the byte at `p`.
  const auto step_at = [&](const char* at) {
    std::size_t step = 0;
    while (at < sources[step] || at >= sources[step] + layout.steps_[step].bytes) ++step;
    return step;
  };
  const auto own = [&](const RawScalar& scalar) -> Constant<RawScalar> {
    if (!scalar.present()) return {};
    const std::size_t step =
        step_at(scalar.text.data() - (scalar.type == RawScalar::Type::kString ? 1 : 0));
    const std::size_t place =
        layout.steps_[step].begin + static_cast<std::size_t>(scalar.text.data() - sources[step]);
    return {{scalar.type, scalar.escaped, {layout.text_.data() + place, scalar.text.size()}}, step};
  };
  layout.number_ = number;
  if (notes.phase != nullptr) layout.phase_ = {event.phase, step_at(notes.phase)};
  layout.category_ = own(event.category);
  layout.process_ = own(event.process);
  layout.thread_ = own(event.thread);
  return layout;
}

bool EventLayout::begins_like(const char* open, const char* end) const {
  const std::size_t bytes = steps_.front().bytes;
  return static_cast<std::size_t>(end - open) > bytes && same_bytes(open, text_.data(), bytes) &&
         (steps_.size() == 1 || is_value_at(open + bytes));
}

LayoutStop EventLayout::read(const char* open, const char* end, RawEvent& event) const {
  const char* p = open;
  const char* args_open = nullptr;
  bool in_args = false;
  const std::size_t last = steps_.size() - 1;
  for (std::size_t i = 0;; ++i) {
    const Step& step = steps_[i];
    const bool fits = i == 0 || (same_bytes(p, text_.data() + step.begin, step.bytes) &&
                                 (i == last || is_value_at(p + step.bytes)));
    if (!fits) {
      if (phase_.step < i) event.phase = phase_.value;
      if (category_.step < i) event.category = category_.value;
      if (process_.step < i) event.process = process_.value;
      if (thread_.step < i) event.thread = thread_.value;
      return {p, in_args ? args_open : nullptr, false};
    }
    if (step.args_open >= 0) args_open = p + step.args_open;
    if (step.args_close >= 0) {
      event.args = {args_open, static_cast<std::size_t>(p + step.args_close + 1 - args_open)};
    }
    p += step.bytes;
    if (i == last) break;
    p = take_value(step.field, p, end, event);
    in_args = step.in_args;
    if (p == nullptr || p > end) return {};
  }
  if (p > end) return {};
  event.phase = phase_.value;
  event.category = category_.value;
  event.process = process_.value;
  event.thread = thread_.value;
  event.layout = number_;
  return {p, nullptr, true};
}

}  // namespace strobe::readers
