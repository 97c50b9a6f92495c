#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "strobe/base/check.h"
#include "strobe/base/unpacking_stream.h"

namespace strobe {
namespace {

// The most a 64-bit zstd writes (`--long=31`); frames that ask for a larger window are refused
// before memory is taken.
constexpr int kLargestWindowLog = 31;
constexpr std::size_t kMagicBytes = 4;

// Frames end to end, skippable ones among them.
class ZstdStream final : public UnpackingStream {
 public:
  explicit ZstdStream(PackedInput input)
      : UnpackingStream(std::move(input)), context_(ZSTD_createDCtx()) {
    STROBE_CHECK(context_ != nullptr, "zstd needs only memory to start");
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

 private:
  std::size_t unpack_some(std::span<char> out) override {
    auto ahead = input_.peek(in_frame_ ? 1 : kMagicBytes);
    if (!ahead) {
      fail(std::move(ahead).error());
      return 0;
    }
    if (!in_frame_) {
      if (sniff_compression(*ahead) != Compression::kZstd) {
        end();
        return 0;
      }
      in_frame_ = true;
      wanted_bytes_ = kMagicBytes;
    }
    // Block by block: on an error zstd forgets what the same call wrote before it.
    ZSTD_inBuffer in{ahead->data(), std::min(ahead->size(), wanted_bytes_), 0};
    ZSTD_outBuffer written{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(context_.get(), &written, &in);
    input_.consume(in.pos);
    if (ZSTD_isError(code)) {
      fail_damaged(std::string("the zstd data is damaged: ") + ZSTD_getErrorName(code));
    } else if (code == 0) {
      in_frame_ = false;
    } else if (ahead->empty() && written.pos == 0) {
      fail_truncated();
    } else {
      wanted_bytes_ = code;
    }
    return written.pos;
  }

  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  bool in_frame_ = false;
  std::size_t wanted_bytes_ = kMagicBytes;
};

}  // namespace

std::unique_ptr<ByteStream> zstd_stream(PackedInput input) {
  return std::make_unique<ZstdStream>(std::move(input));
}

}  // namespace strobe
