#include "strobe/readers/event_layout.h"

#include <algorithm>

#include "strobe/base/simd.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kMostFragmentBytes = 1024;  // of one event

}  // namespace

std::optional<EventLayout> EventLayout::of(const char* open, const char* close,
                                           const RawEvent& event, const EventNotes& notes,
                                           std::uint32_t number) {
  if (!notes.complete()) return std::nullopt;
  EventLayout layout;
  std::vector<const char*> sources;  // where each fragment stands in the event
  const char* args_close = event.args.empty() ? nullptr : event.args.data() + event.args.size() - 1;
  const auto add = [&](const char* begin, const char* end, Field field, bool in_args) {
    LayoutStep step;
    step.begin = static_cast<std::uint16_t>(layout.text_.size());
    step.bytes = static_cast<std::uint16_t>(end - begin);
    step.field = field;
    step.in_args = in_args;
    const auto place_of = [&](const char* p) {
      return static_cast<std::int16_t>(p != nullptr && p >= begin && p < end ? p - begin : -1);
    };
    step.args_open = place_of(event.args.empty() ? nullptr : event.args.data());
    step.args_close = place_of(args_close);
    step.has_brace = step.args_open >= 0 || step.args_close >= 0;
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
  LayoutView& view = layout.view_;
  view.text = layout.text_.data();
  view.steps = layout.steps_.data();
  view.last = layout.steps_.size() - 1;
  view.number = number;
  if (notes.phase != nullptr) view.phase = {event.phase, step_at(notes.phase)};
  view.category = own(event.category);
  view.process = own(event.process);
  view.thread = own(event.thread);
  return layout;
}

}  // namespace strobe::readers
