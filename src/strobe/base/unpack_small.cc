#include "strobe/base/unpack_small.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "strobe/base/byte_stream.h"

namespace strobe {
namespace {

constexpr std::size_t kFirstBytes = 256 << 10;

SmallText unpack_zlib(std::string_view packed, std::size_t most_bytes) {
  SmallText result;
  z_stream stream = {};
  constexpr int kZlibOrGzip = 15 + 32;
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK) return result;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  std::size_t filled = 0;
  while (state == Z_OK && filled < most_bytes) {
    result.bytes.resize(std::min(most_bytes, std::max(kFirstBytes, 2 * filled)));
    stream.next_out = reinterpret_cast<Bytef*>(result.bytes.data() + filled);
    stream.avail_out = static_cast<uInt>(result.bytes.size() - filled);
    state = ::inflate(&stream, Z_NO_FLUSH);
    filled = result.bytes.size() - stream.avail_out;
    if (stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  result.bytes.resize(filled);
  result.is_whole = state == Z_STREAM_END;
  return result;
}

SmallText unpack_zstd(std::string_view packed, std::size_t most_bytes) {
  SmallText result;
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) return result;
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  std::size_t filled = 0;
  std::size_t left = 1;
  while (left != 0 && filled < most_bytes) {
    result.bytes.resize(std::min(most_bytes, std::max(kFirstBytes, 2 * filled)));
    ZSTD_outBuffer out = {result.bytes.data() + filled, result.bytes.size() - filled, 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left) != 0) break;
    filled += out.pos;
    if (in.pos == in.size && out.pos < out.size) break;
  }
  result.bytes.resize(filled);
  result.is_whole = left == 0;
  return result;
}

}  // namespace

SmallText unpack_small(std::string_view packed, std::size_t most_bytes) {
  constexpr std::size_t kMostPacked = std::size_t{1} << 31;
  if (packed.empty() || packed.size() >= kMostPacked) return {};
  if (sniff_compression(packed) == Compression::kZstd) return unpack_zstd(packed, most_bytes);
  return unpack_zlib(packed, most_bytes);
}

}  // namespace strobe
