#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#if STROBE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "strobe/base/check.h"
#include "strobe/base/unpacking_stream.h"

namespace strobe {
namespace {

enum class Inflated : std::uint8_t { kSome, kWholeMember, kDamaged };

// What one call of an engine did.
struct InflateStep {
  Inflated state = Inflated::kSome;
  std::size_t consumed_bytes = 0;
  std::size_t written_bytes = 0;
};

// Both engines count in 32 bits.
constexpr std::size_t kMostBytesPerCall = std::size_t{1} << 30;

class ZlibEngine {
 public:
  ZlibEngine() {
    constexpr int kGzipWrapper = 16;
    STROBE_CHECK(inflateInit2(&state_, kGzipWrapper + MAX_WBITS) == Z_OK,
                 "zlib needs only memory to start");
  }
  ~ZlibEngine() { inflateEnd(&state_); }
  ZlibEngine(const ZlibEngine&) = delete;
  ZlibEngine& operator=(const ZlibEngine&) = delete;

  void start_member() { inflateReset(&state_); }

  InflateStep inflate_some(std::span<const char> in, std::span<char> out) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&state_, Z_NO_FLUSH);
    InflateStep step{Inflated::kSome, in.size() - state_.avail_in, out.size() - state_.avail_out};
    if (code == Z_STREAM_END) step.state = Inflated::kWholeMember;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      step.state = Inflated::kDamaged;
    }
    return step;
  }

  std::string_view damage() const {
    const std::string_view message = state_.msg == nullptr ? "" : state_.msg;
    return message == "incorrect data check" || message == "incorrect length check"
               ? "the checksum of the gzip data is wrong"
               : "the gzip data is damaged";
  }

 private:
  z_stream state_{};
};

#if STROBE_HAVE_ISAL
class IsalEngine {
 public:
  void start_member() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;  // the header is read below, the trailer is verified
    isal_gzip_header_init(&header_);
    in_header_ = true;
  }

  InflateStep inflate_some(std::span<const char> in, std::span<char> out) {
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<std::uint32_t>(in.size());
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = static_cast<std::uint32_t>(out.size());
    // isal_inflate() could read the header too, but forgets its flags when it is cut by a piece's
    // end.
    if (in_header_) {
      code_ = isal_read_gzip_header(&state_, &header_);
      in_header_ = code_ != ISAL_DECOMP_OK;
    }
    if (!in_header_) code_ = isal_inflate(&state_);
    InflateStep step{Inflated::kSome, in.size() - state_.avail_in, out.size() - state_.avail_out};
    if (code_ < 0) {
      step.state = Inflated::kDamaged;
    } else if (!in_header_ && state_.block_state == ISAL_BLOCK_FINISH) {
      step.state = Inflated::kWholeMember;
    }
    return step;
  }

  std::string_view damage() const {
    return code_ == ISAL_INCORRECT_CHECKSUM ? "the checksum of the gzip data is wrong"
                                            : "the gzip data is damaged";
  }

 private:
  inflate_state state_{};
  isal_gzip_header header_{};
  int code_ = ISAL_DECOMP_OK;
  bool in_header_ = true;
};
#endif

// One gzip file: members end to end, as `cat a.gz b.gz` and parallel compressors write them.
template <class Engine>
class GzipStream final : public UnpackingStream {
 public:
  using UnpackingStream::UnpackingStream;

 private:
  // Tape blocks pad with zeros and downloads append pages: what follows the last member and is none
  // is no damage.
  bool starts_member(std::span<const char> ahead) const {
    return std::string_view(ahead.data(), ahead.size()).starts_with("\x1F\x8B");
  }

  std::size_t unpack_some(std::span<char> out) override {
    auto ahead = input_.peek(in_member_ ? 1 : 2);
    if (!ahead) {
      fail(std::move(ahead).error());
      return 0;
    }
    if (!in_member_) {
      if (!starts_member(*ahead)) {
        end();
        return 0;
      }
      engine_.start_member();
      in_member_ = true;
    }
    const std::span<const char> piece = ahead->first(std::min(ahead->size(), kMostBytesPerCall));
    const InflateStep step =
        engine_.inflate_some(piece, out.first(std::min(out.size(), kMostBytesPerCall)));
    input_.consume(step.consumed_bytes);
    if (step.state == Inflated::kWholeMember) {
      in_member_ = false;
    } else if (step.state == Inflated::kDamaged) {
      fail_damaged(std::string(engine_.damage()));
    } else if (piece.empty() && step.written_bytes == 0) {
      fail_truncated();
    }
    return step.written_bytes;
  }

  Engine engine_;
  bool in_member_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gzip_stream_by_zlib(PackedInput input) {
  return std::make_unique<GzipStream<ZlibEngine>>(std::move(input));
}

#if STROBE_HAVE_ISAL
std::unique_ptr<ByteStream> gzip_stream_by_isal(PackedInput input) {
  return std::make_unique<GzipStream<IsalEngine>>(std::move(input));
}
std::unique_ptr<ByteStream> gzip_stream(PackedInput input) {
  return gzip_stream_by_isal(std::move(input));
}
#else
std::unique_ptr<ByteStream> gzip_stream(PackedInput input) {
  return gzip_stream_by_zlib(std::move(input));
}
#endif

}  // namespace strobe
