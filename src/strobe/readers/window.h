#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/simd.h"

namespace strobe::readers {

// The part of a text that is being scanned: a buffer that slides over a stream, padded for
// base/json_scan.h. Whatever is still needed stays in front when more is read.
class Window {
 public:
  static constexpr std::size_t kFirstBytes = 128 << 10;
  // No single event or top-level member is longer; what seems to be has lost a quote or a bracket.
  static constexpr std::size_t kMostBytes = 64 << 20;

  // `offset` is that of the stream's first byte in the whole text.
  Window(ByteStream& stream, std::uint64_t offset, std::size_t first_bytes = kFirstBytes);

  const char* begin() const { return buffer_.data(); }
  const char* end() const { return buffer_.data() + filled_; }
  std::uint64_t offset_of(const char* p) const {
    return offset_ + static_cast<std::uint64_t>(p - buffer_.data());
  }

  // Drops everything before `keep`, reads on behind the rest, and moves `keep` along. False if
  // there is nothing more to read, or the rest already fills kMostBytes: then nothing has changed.
  bool read_on(const char*& keep);

  std::uint64_t reads() const { return reads_; }
  bool is_at_end() const { return at_end_; }
  // Set when the stream was damaged where the text ends.
  const std::optional<Error>& damage() const { return damage_; }

 private:
  ByteStream* stream_;
  std::uint64_t offset_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  std::uint64_t reads_ = 0;
  bool at_end_ = false;
  std::optional<Error> damage_;
};

}  // namespace strobe::readers
