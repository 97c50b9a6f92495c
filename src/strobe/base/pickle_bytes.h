#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/byte_stream.h"

namespace strobe {

// The bytes of a pickle in a window that moves through the stream. A view is valid until the next
// call. Nothing: the bytes end before, or are damaged.
class PickleBytes {
 public:
  explicit PickleBytes(ByteStream& stream) : stream_(stream), window_(kWindow, '\0') {}

  std::uint64_t offset() const { return passed_ + next_; }

  std::optional<char> next() {
    if (next_ == end_ && !has(1)) return std::nullopt;
    return window_[next_++];
  }

  // At most as many as the window holds.
  std::optional<std::string_view> take(std::size_t bytes) {
    if (end_ - next_ < bytes && !has(bytes)) return std::nullopt;
    const std::string_view taken(window_.data() + next_, bytes);
    next_ += bytes;
    return taken;
  }

  // Any number; memory grows with the bytes that are really there.
  std::optional<std::string_view> take_long(std::uint64_t bytes) {
    if (bytes <= kWindow) return take(static_cast<std::size_t>(bytes));
    long_.clear();
    while (bytes > 0) {
      if (next_ == end_ && !has(1)) return std::nullopt;
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, end_ - next_));
      long_.append(window_, next_, part);
      next_ += part;
      bytes -= part;
    }
    return long_;
  }

  // Up to the end of the line, which is passed. A line has a limited length.
  std::optional<std::string_view> line() {
    std::size_t searched = next_;
    for (;;) {
      const auto found = std::string_view(window_).substr(0, end_).find('\n', searched);
      if (found != std::string_view::npos) {
        const std::string_view text(window_.data() + next_, found - next_);
        next_ = found + 1;
        return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
      }
      const std::size_t known = end_ - next_;
      if (known == kWindow || !has(known + 1)) return std::nullopt;
      searched = next_ + known;
    }
  }

 private:
  static constexpr std::size_t kWindow = 256 << 10;

  // Moves the rest to the front and reads on until `bytes` are there.
  bool has(std::size_t bytes) {
    std::memmove(window_.data(), window_.data() + next_, end_ - next_);
    passed_ += next_;
    end_ -= next_;
    next_ = 0;
    while (end_ < bytes && !is_over_) {
      const auto read = stream_.read(std::span(window_).subspan(end_));
      if (!read || *read == 0) is_over_ = true;
      if (read) end_ += *read;
    }
    return end_ >= bytes;
  }

  ByteStream& stream_;
  std::string window_;
  std::string long_;
  std::uint64_t passed_ = 0;  // bytes before the window
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  bool is_over_ = false;
};

// The text inside a literal as Python prints one: 'it\'s'.
std::string unquoted(std::string_view literal);

// With \u1234 and \U00012345 and bytes above 127 as characters of their own, as UTF-8.
std::string unescaped(std::string_view text);

}  // namespace strobe
