#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/file.h"
#include "strobe/base/result.h"

namespace strobe {

// The text of a file from front to back, decompressed while it is read. Memory stays bounded
// however large the text is.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills `out`. Fewer bytes mean that the text ends or is damaged here; the next call says which:
  // 0 at the end, an Error (kMalformed, `where` is the offset in the compressed bytes) at damage.
  // Further calls give the same answer.
  virtual Result<std::size_t> read(std::span<char> out) = 0;

  // Counts bytes on disk, for progress.
  virtual std::uint64_t consumed_bytes() const = 0;
};

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// Looks at the content, because file names can be wrong. Eight bytes are enough.
Compression sniff_compression(std::span<const char> first_bytes);

// The error of a file that begins like an archive that strobe cannot unpack; the hint says how to
// unpack it, `where` is empty. Sixteen bytes are enough.
std::optional<Error> foreign_archive(std::string_view first_bytes);

// Fails on such archives.
Result<std::unique_ptr<ByteStream>> open_stream(File file);
// `memory` must outlive the stream.
Result<std::unique_ptr<ByteStream>> open_stream(std::string_view memory);

// The two gzip engines by name, so that tests can compare them.
std::unique_ptr<ByteStream> gzip_stream_by_zlib(std::string_view memory);
#if STROBE_HAVE_ISAL
std::unique_ptr<ByteStream> gzip_stream_by_isal(std::string_view memory);
#endif

// Reads `stream` ahead on its own thread, through a ring of 1 MiB blocks, so that decompression and
// scanning overlap.
std::unique_ptr<ByteStream> prefetch(std::unique_ptr<ByteStream> stream);

// The whole text of a file, decompressed. kMalformed if it has more than `most_bytes`; a
// damaged text ends before the damage.
Result<std::string> read_text(const std::string& path,
                              std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

// The whole of a packed text in memory; nothing if it is damaged, or longer than `most_bytes`.
std::optional<std::string> unpacked_text(std::string_view packed, std::size_t most_bytes);

}  // namespace strobe
