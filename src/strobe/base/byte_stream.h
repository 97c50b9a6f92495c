#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "strobe/base/file.h"
#include "strobe/base/result.h"

namespace strobe {

// The text of a file from front to back, unpacked on the way. Memory stays bounded however much
// the text grows in unpacking.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills `out`. Fewer bytes mean that the text ends here or is damaged from here on; the next call
  // tells which: 0 at the end, an Error (kMalformed, `where` the offset in the packed bytes) at a
  // damage. Either answer repeats itself.
  virtual Result<std::size_t> read(std::span<char> out) = 0;

  // Of the bytes on disk, for progress.
  virtual std::uint64_t consumed_bytes() const = 0;
};

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// By content; names lie. Eight bytes are enough.
Compression sniff_compression(std::span<const char> first_bytes);

// Fails on archives strobe cannot unpack and says how to.
Result<std::unique_ptr<ByteStream>> open_stream(File file);
// `memory` must outlive the stream.
Result<std::unique_ptr<ByteStream>> open_stream(std::string_view memory);

}  // namespace strobe
