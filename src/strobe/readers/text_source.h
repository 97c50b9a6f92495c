#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/json_scan.h"
#include "strobe/base/result.h"
#include "strobe/base/simd.h"

namespace strobe::readers {

// An uncompressed text with random access for several threads at once: a file or memory.
class TextSource {
 public:
  explicit TextSource(const File& file) : file_(&file) {}
  explicit TextSource(std::string_view memory) : memory_(memory) {}

  std::uint64_t size_bytes() const {
    return file_ != nullptr ? file_->size_bytes() : memory_.size();
  }
  // Fills `out` from `offset` on; fewer bytes mean the end.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> out) const;
  // Front to back, from `offset` to the end. The source must outlive it.
  std::unique_ptr<ByteStream> stream_from(std::uint64_t offset) const;

 private:
  const File* file_ = nullptr;
  std::string_view memory_;
};

// The part of a text that is being scanned: a buffer that slides over a stream, padded for
// base/json_scan.h. Bytes that are still needed move to the front when more is read.
class Window {
 public:
  static constexpr std::size_t kFirstBytes = 128 << 10;
  // No single event or top-level member is longer; if one seems so, a quote or bracket is missing.
  static constexpr std::size_t kMostBytes = 64 << 20;

  // `offset` is that of the stream's first byte in the whole text.
  Window(ByteStream& stream, std::uint64_t offset, std::size_t first_bytes = kFirstBytes);

  const char* end() const { return buffer_.data() + filled_; }
  std::uint64_t offset_of(const char* p) const {
    return offset_ + static_cast<std::uint64_t>(p - buffer_.data());
  }

  // Moves `p` to the next byte that is not a blank, reading on as needed. False at the end.
  bool skip_blanks(const char*& p) {
    for (;;) {
      p = json::skip_blanks(p);
      if (p < end()) return true;
      p = end();
      if (!read_on(p)) return false;
    }
  }

  // Drops everything before `keep`, reads more after the rest, and moves `keep` along. False if
  // there is nothing more to read or the rest already fills kMostBytes; `keep` points to the same
  // byte of the text then, perhaps at another address.
  bool read_on(const char*& keep);

  std::uint64_t reads() const { return reads_; }
  bool is_at_end() const { return at_end_; }
  // Set if the stream is damaged where the text ends.
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
