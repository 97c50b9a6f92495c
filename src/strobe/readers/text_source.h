#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/result.h"

namespace strobe::readers {

// An uncompressed text that can be read anywhere, by several threads at once: a file or memory.
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

}  // namespace strobe::readers
