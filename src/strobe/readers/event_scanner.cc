#include "strobe/readers/event_scanner.h"

#include <cstring>

#include "strobe/base/json_scan.h"
#include "strobe/readers/event_fields.h"

namespace strobe::readers {
namespace {

using json::skip_blanks;

// Reads an event key by key and notes its changing values. Every method returns how the rest of the
// event was read.
class MemberScanner {
 public:
  MemberScanner(const char* end, RawEvent& event, const char*& position, EventNotes& notes)
      : end_(end), event_(event), position_(position), notes_(notes) {}

  // Starts at a member's key, or at the closing brace.
  ScanResult members(const char* p) {
    for (;;) {
      if (*p == '}') return finish(p);
      Member member;
      if (const auto failure = read_key(p, event_key, member); failure != ScanResult::kEvent)
        return failure;
      if (member.field == Field::kAttributes) {
        const bool counts = event_.args.empty() && *member.value == '{';
        member.field = counts ? Field::kArgs : Field::kSkipped;
      }
      note_constant(member);
      if (member.field == Field::kArgs && *member.value == '{') {
        return arguments(member.value, skip_blanks(member.value + 1));
      }
      const char* after = take_value(member.field, member.value, end_, event_);
      if (after == nullptr || after > end_) return give_up(end_);
      const bool changes = member.field == Field::kSkipped || member.field > Field::kThread;
      if (changes) notes_.add({member.value, after, member.field, false});
      p = skip_blanks(after);
      if (*p == '}') return finish(p);
      if (*p != ',') return give_up(p);
      p = skip_blanks(p + 1);
    }
  }

  // Starts after a value of the event itself.
  ScanResult behind_value(const char* after) {
    const char* p = skip_blanks(after);
    if (*p == '}') return finish(p);
    return *p == ',' ? members(skip_blanks(p + 1)) : give_up(p);
  }

  // Starts after an argument's value; `open` is the arguments' brace.
  ScanResult behind_argument(const char* open, const char* after) {
    const char* p = skip_blanks(after);
    if (*p == '}') return close_arguments(open, p);
    return *p == ',' ? arguments(open, skip_blanks(p + 1)) : give_up(p);
  }

 private:
  struct Member {
    Field field = Field::kSkipped;
    const char* value = nullptr;
  };

  ScanResult give_up(const char* at) {
    position_ = at >= end_ ? end_ : at;
    return at >= end_ ? ScanResult::kIncomplete : ScanResult::kMalformed;
  }

  ScanResult finish(const char* brace) {
    if (brace >= end_) return give_up(end_);
    position_ = brace + 1;
    return ScanResult::kEvent;
  }

  // `p` is the key's quote. kEvent: the member's value was found.
  ScanResult read_key(const char* p, KnownKey (*known_key)(const char*), Member& member) {
    if (*p != '"') return give_up(p);
    const KnownKey known = known_key(p + 1);
    const char* after = p + 1 + known.bytes;
    if (known.field == Field::kSkipped) {
      const json::StringEnd string = json::find_string_end(p + 1, end_);
      if (string.quote == nullptr) return give_up(end_);
      after = string.quote + 1;
    }
    const char* colon = skip_blanks(after);
    if (*colon != ':') return give_up(colon);
    member = {known.field, skip_blanks(colon + 1)};
    return member.value >= end_ ? give_up(end_) : ScanResult::kEvent;
  }

  // A layout holds one place for each unchanging value, and one object of arguments.
  void note_constant(const Member& member) {
    const bool again = (member.field == Field::kPhase && notes_.phase != nullptr) ||
                       (member.field == Field::kCategory && event_.category.present()) ||
                       (member.field == Field::kProcess && event_.process.present()) ||
                       (member.field == Field::kThread && event_.thread.present());
    const bool odd_args =
        member.field == Field::kArgs && (*member.value != '{' || !event_.args.empty());
    if (again || odd_args) notes_.spoil();
    if (member.field == Field::kPhase) notes_.phase = member.value;
  }

  // Starts at an argument's key, or at the closing brace.
  ScanResult arguments(const char* open, const char* p) {
    for (;;) {
      if (*p == '}') return close_arguments(open, p);
      Member member;
      if (const auto failure = read_key(p, argument_key, member); failure != ScanResult::kEvent) {
        return failure;
      }
      const char* after = take_value(member.field, member.value, end_, event_);
      if (after == nullptr || after > end_) return give_up(end_);
      notes_.add({member.value, after, member.field, true});
      p = skip_blanks(after);
      if (*p == '}') return close_arguments(open, p);
      if (*p != ',') return give_up(p);
      p = skip_blanks(p + 1);
    }
  }

  ScanResult close_arguments(const char* open, const char* brace) {
    if (brace >= end_) return give_up(end_);
    event_.args = {open, static_cast<std::size_t>(brace + 1 - open)};
    return behind_value(brace + 1);
  }

  const char* end_;
  RawEvent& event_;
  const char*& position_;
  EventNotes& notes_;
};

}  // namespace

ScanResult EventScanner::scan(const char*& position, const char* end, RawEvent& event) {
  const char* open = position;
  EventNotes notes;
  MemberScanner members(end, event, position, notes);
  const LayoutStop stop = read_by_layout(open, end, event);
  switch (stop.reason) {
    case LayoutStop::Reason::kWhole:
      position = stop.after;
      return ScanResult::kEvent;
    case LayoutStop::Reason::kTextEnded:
      position = end;
      return ScanResult::kIncomplete;
    case LayoutStop::Reason::kDiffers:
      return stop.args_open != nullptr ? members.behind_argument(stop.args_open, stop.after)
                                       : members.behind_value(stop.after);
    case LayoutStop::Reason::kUnlike:
      break;
  }
  const ScanResult result = members.members(skip_blanks(open + 1));
  if (result == ScanResult::kEvent) remember(open, position, event, notes);
  return result;
}

LayoutStop EventScanner::read_by_layout(const char* open, const char* end, RawEvent& event) {
  using Reason = LayoutStop::Reason;
  if (layouts_.empty()) return {};
  const std::size_t guess = follower_[last_];
  const LayoutStop stop = loops_->read(layouts_[guess].view(), open, end, event);
  if (stop.reason != Reason::kUnlike) [[likely]] {
    last_ = guess;
    return stop;
  }
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    const LayoutStop other = loops_->read(layouts_[i].view(), open, end, event);
    if (other.reason == Reason::kUnlike) continue;
    follower_[last_] = static_cast<std::uint8_t>(i);
    last_ = i;
    return other;
  }
  return {};
}

void EventScanner::remember(const char* open, const char* close, const RawEvent& event,
                            const EventNotes& notes) {
  auto layout = EventLayout::of(open, close, event, notes, made_ + 1);
  if (!layout) return;
  const std::size_t slot = made_++ % kLayouts;
  if (slot < layouts_.size()) {
    layouts_[slot] = *std::move(layout);
  } else {
    layouts_.push_back(*std::move(layout));
  }
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
    if (*key == '"' && event_key(key + 1).field != Field::kSkipped) return p;
  }
  return nullptr;
}

}  // namespace strobe::readers
