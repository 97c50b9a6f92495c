#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#if STROBE_HAVE_ISAL
#include <isa-l.h>
#else
#include <zlib.h>
#endif

#include "strobe/base/check.h"
#include "strobe/writers/byte_sink.h"

namespace strobe::writers {
namespace {

constexpr std::size_t kPackedBytes = 256 << 10;

#if STROBE_HAVE_ISAL

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> target)
      : target_(std::move(target)), level_buffer_(ISAL_DEF_LVL1_DEFAULT), packed_(kPackedBytes) {
    isal_deflate_init(&stream_);
    stream_.level = 1;
    stream_.level_buf = level_buffer_.data();
    stream_.level_buf_size = static_cast<std::uint32_t>(level_buffer_.size());
    stream_.gzip_flag = IGZIP_GZIP;
  }

  Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kMostAtOnce);
      bytes.remove_prefix(piece.size());
      STROBE_TRY_VOID(deflate(piece));
    }
    return {};
  }

  Result<void> finish() override {
    stream_.end_of_stream = 1;
    STROBE_TRY_VOID(deflate({}));
    return target_->finish();
  }

 private:
  // The library counts with 32 bits.
  static constexpr std::size_t kMostAtOnce = std::numeric_limits<std::uint32_t>::max() / 2;

  Result<void> deflate(std::string_view piece) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the library only reads it
    stream_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<std::uint32_t>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(packed_.data());
      stream_.avail_out = static_cast<std::uint32_t>(packed_.size());
      STROBE_CHECK(isal_deflate(&stream_) == COMP_OK, "packing memory into memory cannot fail");
      STROBE_TRY_VOID(target_->write({packed_.data(), packed_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0 || stream_.avail_in > 0);
    return {};
  }

  std::unique_ptr<ByteSink> target_;
  std::vector<std::uint8_t> level_buffer_;
  std::vector<char> packed_;
  isal_zstream stream_{};
};

#else

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> target)
      : target_(std::move(target)), packed_(kPackedBytes) {
    constexpr int kGzipWindow = 15 + 16;  // 16: with a gzip header
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream_, 1, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();  // the settings are valid
    }
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override { deflateEnd(&stream_); }

  Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kMostAtOnce);
      bytes.remove_prefix(piece.size());
      STROBE_TRY_VOID(deflate_piece(piece, Z_NO_FLUSH));
    }
    return {};
  }

  Result<void> finish() override {
    STROBE_TRY_VOID(deflate_piece({}, Z_FINISH));
    return target_->finish();
  }

 private:
  // The library counts with 32 bits.
  static constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max() / 2;

  Result<void> deflate_piece(std::string_view piece, int flush) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the library only reads it
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      STROBE_CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR,
                   "packing memory into memory cannot fail");
      STROBE_TRY_VOID(target_->write({packed_.data(), packed_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0 || stream_.avail_in > 0);
    return {};
  }

  std::unique_ptr<ByteSink> target_;
  std::vector<char> packed_;
  z_stream stream_{};
};

#endif

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> target)
      : target_(std::move(target)), packed_(kPackedBytes), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    constexpr int kFastLevel = 1;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kFastLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Result<void> write(std::string_view bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) STROBE_TRY_VOID(compress(in, ZSTD_e_continue));
    return {};
  }

  Result<void> finish() override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    do {
      STROBE_TRY_VOID(compress(in, ZSTD_e_end));
    } while (left_ != 0);
    return target_->finish();
  }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  Result<void> compress(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    left_ = ZSTD_compressStream2(context_.get(), &out, &in, directive);
    STROBE_CHECK(ZSTD_isError(left_) == 0, "packing memory into memory cannot fail");
    return target_->write({packed_.data(), out.pos});
  }

  std::unique_ptr<ByteSink> target_;
  std::vector<char> packed_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::size_t left_ = 0;  // bytes that the library still holds back
};

}  // namespace

std::unique_ptr<ByteSink> pack(std::unique_ptr<ByteSink> target, Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return target;
    case Compression::kGzip:
      return std::make_unique<GzipSink>(std::move(target));
    case Compression::kZstd:
      return std::make_unique<ZstdSink>(std::move(target));
  }
  return target;
}

}  // namespace strobe::writers
