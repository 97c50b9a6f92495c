#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"

namespace strobe::readers {

// A file whose format is not known yet, plain or packed, or the same in memory. Readers get its
// unpacked bytes: the first ones to recognise it by, then all of them, at once or as a stream.
class TraceInput {
 public:
  static constexpr std::size_t kFirstBytes = 64 << 10;

  // A regular file. The error says why it cannot be read, but a damaged one is none.
  static Result<TraceInput> open(const std::filesystem::path& path);
  // `bytes` must outlive it.
  static TraceInput of(std::string_view bytes, std::string name);

  const std::string& name() const { return name_; }
  std::uint64_t file_bytes() const { return file_bytes_; }
  std::string_view first() const { return first_; }
  // The file, if its bytes are not packed: for libraries that open files themselves.
  std::optional<std::filesystem::path> plain_file() const;

  struct Content {
    std::shared_ptr<const void> memory;
    std::string_view bytes;       // valid while `memory` is
    std::optional<Error> damage;  // of the packed file: the bytes end before it
  };
  struct Unpacked {
    std::string bytes;
    std::optional<Error> damage;  // of the packed file: the bytes end before it
  };
  // A copy of all bytes.
  Result<Unpacked> unpack() const;
  // All bytes. A plain file is mapped, and must not be cut while it is.
  Result<Content> content() const;
  // All bytes, front to back, in bounded memory.
  Result<std::unique_ptr<ByteStream>> stream() const;

 private:
  std::string name_;
  bool is_file_ = false;
  bool is_packed_ = false;
  std::uint64_t file_bytes_ = 0;
  std::string_view memory_;  // unless it is a file
  std::string first_;
};

}  // namespace strobe::readers
