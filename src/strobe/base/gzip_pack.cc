#include "strobe/base/gzip_pack.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#if STROBE_HAVE_ISAL
#include <isa-l.h>
#else
#include <zlib.h>
#endif

#include "strobe/base/check.h"

namespace strobe {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;

// Both libraries use 32-bit counts, so a long text is passed in pieces.
std::string_view take_piece(std::string_view& text) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
  const std::string_view piece = text.substr(0, kMost);
  text.remove_prefix(piece.size());
  return piece;
}

}  // namespace

#if STROBE_HAVE_ISAL

std::string pack_gzip(std::string_view text) {
  isal_zstream stream{};
  isal_deflate_init(&stream);
  std::vector<std::uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  stream.level = 1;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.gzip_flag = IGZIP_GZIP;
  std::string packed;
  std::vector<std::uint8_t> out(kPieceBytes);
  do {
    if (stream.avail_in == 0) {
      const std::string_view piece = take_piece(text);
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the library only reads it
      stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<std::uint32_t>(piece.size());
      stream.end_of_stream = text.empty() ? 1 : 0;
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<std::uint32_t>(out.size());
    STROBE_CHECK(isal_deflate(&stream) == COMP_OK, "packing memory into memory cannot fail");
    packed.append(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
  } while (stream.internal_state.state != ZSTATE_END);
  return packed;
}

#else

std::string pack_gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16;  // 16: with a gzip header
  constexpr int kMemoryLevel = 8;
  z_stream stream{};
  STROBE_CHECK(
      deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK,
      "these settings are valid");
  std::string packed;
  std::vector<Bytef> out(kPieceBytes);
  int outcome = Z_OK;
  do {
    if (stream.avail_in == 0) {
      const std::string_view piece = take_piece(text);
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the library only reads it
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    outcome = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    STROBE_CHECK(outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR,
                 "packing memory into memory cannot fail");
    packed.append(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
  } while (outcome != Z_STREAM_END);
  deflateEnd(&stream);
  return packed;
}

#endif

}  // namespace strobe
