#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/base/string_pool.h"
#include "strobe/writers/text_buffer.h"

namespace strobe::writers {

// The texts of a pool as the content of JSON strings, without quotes.
class EscapedTexts {
 public:
  explicit EscapedTexts(const StringPool& strings) : strings_(&strings), states_(strings.size()) {}

  std::string_view operator[](StringId id) {
    State& state = states_[id.index()];
    if (state == State::kUnknown) [[unlikely]]
      state = look_at(id);
    return state == State::kPlain ? (*strings_)[id] : std::string_view(escaped_.at(id));
  }

 private:
  enum class State : std::uint8_t { kUnknown, kPlain, kEscaped };

  State look_at(StringId id);

  const StringPool* strings_;
  std::vector<State> states_;
  std::unordered_map<StringId, std::string> escaped_;
};

// Events in an array: each on a line of its own, with commas between them.
class EventLines {
 public:
  // Without `is_first` a comma precedes the first of them.
  EventLines(TextBuffer& buffer, bool is_first)
      : buffer_(&buffer), separator_(is_first ? "" : kSeparator) {}

  static constexpr std::size_t kMostAround = 8;  // bytes that begin() and end() add

  // Writes the beginning of an event, `{...`, into room() of the buffer.
  char* begin(std::string_view head, char* to) {
    to = TextBuffer::put(separator_, to);
    separator_ = kSeparator;
    return TextBuffer::put(head, to);
  }
  // Writes its closing brace and takes all of it.
  void end(char* to) {
    *to++ = '}';
    buffer_->take(to);
    ++count_;
  }

  // A whole event, without its closing brace.
  void add(std::string_view event) { end(begin(event, buffer_->room(event.size() + kMostAround))); }

  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::string_view kSeparator = ",\n";

  TextBuffer* buffer_;
  std::string_view separator_;
  std::uint64_t count_ = 0;
};

}  // namespace strobe::writers
