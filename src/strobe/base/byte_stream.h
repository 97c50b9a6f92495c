#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
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

// The two gzip engines by name, so that tests can hold one against the other.
std::unique_ptr<ByteStream> gzip_stream_by_zlib(std::string_view memory);
#if STROBE_HAVE_ISAL
std::unique_ptr<ByteStream> gzip_stream_by_isal(std::string_view memory);
#endif

// Reads `stream` ahead on a thread of its own, through a ring of 1 MiB blocks, so that unpacking
// and scanning overlap.
std::unique_ptr<ByteStream> prefetch(std::unique_ptr<ByteStream> stream);

// The whole text of a file, unpacked. kTooLittleData when there is more than `most_bytes` of it; a
// text that is damaged somewhere is what stands before the damage.
Result<std::string> read_text(const std::string& path,
                              std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace strobe
