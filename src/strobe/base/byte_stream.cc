#include "strobe/base/byte_stream.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "strobe/base/packed_input.h"
#include "strobe/base/unpacking_stream.h"

namespace strobe {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSniffedBytes = 16;

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(PackedInput input) : input_(std::move(input)) {}
  Result<std::size_t> read(std::span<char> out) override { return input_.read(out); }
  std::uint64_t consumed_bytes() const override { return input_.consumed_bytes(); }

 private:
  PackedInput input_;
};

struct ForeignArchive {
  std::string_view magic;
  std::string_view name;
  std::string_view unpacker;
};

constexpr std::array<ForeignArchive, 5> kForeignArchives = {{
    {"\xFD"
     "7zXZ\0"sv,
     "an xz file", "xz -d"},
    {"BZh91AY&SY"sv, "a bzip2 file", "bzip2 -d"},
    {"PK\x03\x04"sv, "a zip archive", "unzip"},
    {"\x04\x22\x4D\x18"sv, "an lz4 file", "lz4 -d"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7-zip archive", "7z x"},
}};

Result<std::unique_ptr<ByteStream>> open_packed(PackedInput input) {
  STROBE_TRY(const std::span<const char> head, input.peek(kSniffedBytes));
  const std::string_view text(head.data(), head.size());
  for (const ForeignArchive& archive : kForeignArchives) {
    if (!text.starts_with(archive.magic)) continue;
    return Error{
        ErrorCode::kMalformed, fmt::format("this is {}", archive.name), input.origin(),
        fmt::format("unpack it first: `{}`; gzip and zstd are read as they are", archive.unpacker)};
  }
  switch (sniff_compression(head)) {
    case Compression::kGzip:
      return gzip_stream(std::move(input));
    case Compression::kZstd:
      return zstd_stream(std::move(input));
    case Compression::kNone:
      break;
  }
  return std::unique_ptr<ByteStream>(std::make_unique<PlainStream>(std::move(input)));
}

}  // namespace

Compression sniff_compression(std::span<const char> first_bytes) {
  const std::string_view head(first_bytes.data(), first_bytes.size());
  if (head.starts_with("\x1F\x8B\x08"sv)) return Compression::kGzip;
  if (head.starts_with("\x28\xB5\x2F\xFD"sv)) return Compression::kZstd;
  // A zstd file may open with a skippable frame: 0x184D2A50 to 5F, little endian.
  if (head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18"sv) {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

Result<std::unique_ptr<ByteStream>> open_stream(File file) {
  return open_packed(PackedInput(std::move(file)));
}

Result<std::unique_ptr<ByteStream>> open_stream(std::string_view memory) {
  return open_packed(PackedInput(memory));
}

}  // namespace strobe
