#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/result.h"

namespace strobe {

// The bytes as they lie on disk, under every ByteStream: a file, a pipe or memory, taken by the
// piece. A file costs one buffer of 256 KiB, memory is never copied.
class PackedInput {
 public:
  static constexpr std::size_t kBufferBytes = 256 * 1024;

  explicit PackedInput(File file) : file_(std::move(file)) {}
  explicit PackedInput(std::string_view memory) : ahead_(memory.data(), memory.size()) {}

  // The next bytes, not yet consumed: at least `wanted` of them (no more than the buffer holds)
  // unless the input ends before; empty at its end. Valid until the next call.
  Result<std::span<const char>> peek(std::size_t wanted = 1);
  void consume(std::size_t bytes);

  // Fills `out` without a detour through the buffer; fewer bytes mean the end.
  Result<std::size_t> read(std::span<char> out);

  std::uint64_t consumed_bytes() const { return consumed_bytes_; }
  std::string where() const;  // for an Error at the next byte
  std::string origin() const { return file_ ? file_->path() : std::string(); }

 private:
  std::optional<File> file_;
  std::vector<char> buffer_;
  std::span<const char> ahead_;
  std::uint64_t consumed_bytes_ = 0;
  bool file_ended_ = false;
};

}  // namespace strobe
