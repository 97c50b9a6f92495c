#include "strobe/base/packed_input.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "strobe/base/check.h"

namespace strobe {

Result<std::span<const char>> PackedInput::peek(std::size_t wanted) {
  STROBE_CHECK(wanted <= kBufferBytes, "nobody looks further ahead than the buffer reaches");
  if (ahead_.size() >= wanted || !file_ || file_ended_) return ahead_;
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  if (!ahead_.empty()) std::memmove(buffer_.data(), ahead_.data(), ahead_.size());
  const std::size_t kept = ahead_.size();
  ahead_ = std::span(buffer_).first(kept);
  STROBE_TRY(const std::size_t bytes, file_->read(std::span(buffer_).subspan(kept)));
  file_ended_ = bytes < buffer_.size() - kept;
  ahead_ = std::span(buffer_).first(kept + bytes);
  return ahead_;
}

void PackedInput::consume(std::size_t bytes) {
  STROBE_CHECK(bytes <= ahead_.size(), "only what was seen is consumed");
  ahead_ = ahead_.subspan(bytes);
  consumed_bytes_ += bytes;
}

Result<std::size_t> PackedInput::read(std::span<char> out) {
  const std::size_t from_ahead = std::min(out.size(), ahead_.size());
  if (from_ahead > 0) {
    std::memcpy(out.data(), ahead_.data(), from_ahead);
    consume(from_ahead);
  }
  if (from_ahead == out.size() || !file_ || file_ended_) return from_ahead;
  STROBE_TRY(const std::size_t bytes, file_->read(out.subspan(from_ahead)));
  file_ended_ = from_ahead + bytes < out.size();
  consumed_bytes_ += bytes;
  return from_ahead + bytes;
}

std::string PackedInput::where() const { return fmt::format("packed byte {}", consumed_bytes_); }

}  // namespace strobe
