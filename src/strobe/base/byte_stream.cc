#include "strobe/base/byte_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#if STROBE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "strobe/base/check.h"
#include "strobe/base/text.h"

namespace strobe {
namespace {

using namespace std::string_view_literals;

// The raw bytes under every ByteStream: a file, a pipe or memory, read in pieces. A file needs one
// buffer of 256 KiB; memory is never copied.
class PackedInput {
 public:
  static constexpr std::size_t kBufferBytes = 256 * 1024;

  explicit PackedInput(File file) : file_(std::move(file)) {}
  explicit PackedInput(std::string_view memory) : ahead_(memory.data(), memory.size()) {}

  // The next bytes, not yet consumed: at least `wanted` of them (no more than the buffer holds)
  // unless the input ends first; empty at its end. Valid until the next call.
  Result<std::span<const char>> peek(std::size_t wanted = 1);
  void consume(std::size_t bytes);

  // Fills `out` directly, without the buffer; fewer bytes mean the end.
  Result<std::size_t> read(std::span<char> out);

  std::uint64_t consumed_bytes() const { return consumed_bytes_; }
  std::string where() const;  // for an Error at the next byte
  std::string origin() const { return file_ ? file_->path() : std::string(); }

 private:
  std::optional<File> file_;
  std::vector<char> buffer_;
  std::span<const char> ahead_;
  std::uint64_t consumed_bytes_ = 0;
  bool file_ended_ = false;
};

Result<std::span<const char>> PackedInput::peek(std::size_t wanted) {
  STROBE_CHECK(wanted <= kBufferBytes, "a reader may look ahead by at most the buffer's size");
  if (ahead_.size() >= wanted || !file_ || file_ended_) return ahead_;
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  if (!ahead_.empty()) std::memmove(buffer_.data(), ahead_.data(), ahead_.size());
  const std::size_t kept = ahead_.size();
  ahead_ = std::span(buffer_).first(kept);
  STROBE_TRY(const std::size_t bytes, file_->read(std::span(buffer_).subspan(kept)));
  file_ended_ = bytes < buffer_.size() - kept;
  ahead_ = std::span(buffer_).first(kept + bytes);
  return ahead_;
}

void PackedInput::consume(std::size_t bytes) {
  STROBE_CHECK(bytes <= ahead_.size(), "only what was seen is consumed");
  ahead_ = ahead_.subspan(bytes);
  consumed_bytes_ += bytes;
}

Result<std::size_t> PackedInput::read(std::span<char> out) {
  const std::size_t from_ahead = std::min(out.size(), ahead_.size());
  if (from_ahead > 0) {
    std::memcpy(out.data(), ahead_.data(), from_ahead);
    consume(from_ahead);
  }
  if (from_ahead == out.size() || !file_ || file_ended_) return from_ahead;
  STROBE_TRY(const std::size_t bytes, file_->read(out.subspan(from_ahead)));
  file_ended_ = from_ahead + bytes < out.size();
  consumed_bytes_ += bytes;
  return from_ahead + bytes;
}

std::string PackedInput::where() const { return fmt::format("packed byte {}", consumed_bytes_); }

// Shared by all formats: fills the caller's buffer step by step, returns the bytes before damage
// first, and remembers how the stream ended.
class UnpackingStream : public ByteStream {
 public:
  explicit UnpackingStream(PackedInput input) : input_(std::move(input)) {}

  Result<std::size_t> read(std::span<char> out) final;
  std::uint64_t consumed_bytes() const final { return input_.consumed_bytes(); }

 protected:
  // Writes some bytes to the front of `out` and returns how many. 0 is fine as long as input was
  // consumed or the stream was closed by end() or fail().
  virtual std::size_t unpack_some(std::span<char> out) = 0;

  void end() { ended_ = true; }
  void fail(Error error) { failure_ = std::move(error); }
  void fail_damaged(std::string what);
  void fail_truncated();

  PackedInput input_;

 private:
  bool ended_ = false;
  std::optional<Error> failure_;
};

Result<std::size_t> UnpackingStream::read(std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size() && !ended_ && !failure_) done += unpack_some(out.subspan(done));
  if (done == 0 && failure_) return *failure_;
  return done;
}

void UnpackingStream::fail_damaged(std::string what) {
  fail({ErrorCode::kMalformed, std::move(what), input_.where(),
        "the file is damaged; copy or download it again"});
}

void UnpackingStream::fail_truncated() {
  fail({ErrorCode::kMalformed, "the compressed data ends too early", input_.where(),
        "the job was killed while writing, or the copy is not complete"});
}

enum class Inflated : std::uint8_t { kSome, kWholeMember, kDamaged };

// The result of one call of an engine.
struct InflateStep {
  Inflated state = Inflated::kSome;
  std::size_t consumed_bytes = 0;
  std::size_t written_bytes = 0;
};

// Both engines use 32-bit counts.
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
    // isal_inflate() could read the header too, but loses its flags if a piece ends inside the
    // header.
    if (in_header_) {
      code_ = isal_read_gzip_header(&state_, &header_);
      in_header_ = code_ != ISAL_DECOMP_OK;
    }
    if (!in_header_) code_ = isal_inflate(&state_);
    // Of damaged data it may give back bytes of an earlier call.
    if (state_.avail_in > in.size()) return {Inflated::kDamaged, 0, out.size() - state_.avail_out};
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

// One gzip file: concatenated members, as `cat a.gz b.gz` and parallel compressors write them.
template <class Engine>
class GzipStream final : public UnpackingStream {
 public:
  using UnpackingStream::UnpackingStream;

 private:
  // Tape blocks are padded with zeros and downloads may append pages. Bytes after the last member
  // that do not start another one are therefore not damage.
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

#if STROBE_HAVE_ISAL
using FastestGzip = GzipStream<IsalEngine>;
#else
using FastestGzip = GzipStream<ZlibEngine>;
#endif

// The largest window that a 64-bit zstd writes (`--long=31`); frames with a larger window are
// refused before memory is allocated.
constexpr int kLargestWindowLog = 31;
constexpr std::size_t kMagicBytes = 4;

// Concatenated frames, including skippable ones.
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
    // One block per call: on an error zstd discards what the same call wrote before it.
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

constexpr std::array<ForeignArchive, 4> kForeignArchives = {{
    {"\xFD"
     "7zXZ\0"sv,
     "an xz file", "xz -d"},
    {"PK\x03\x04"sv, "a zip archive", "unzip"},
    {"\x04\x22\x4D\x18"sv, "an lz4 file", "lz4 -d"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7-zip archive", "7z x"},
}};
constexpr ForeignArchive kBzip2 = {"BZh", "a bzip2 file", "bzip2 -d"};

// The fourth byte is the size of the blocks.
bool is_bzip2(std::string_view head) {
  return head.starts_with(kBzip2.magic) && head.substr(4).starts_with("1AY&SY");
}

const ForeignArchive* archive_at(std::string_view head) {
  if (head.size() > 4 && is_bzip2(head)) return &kBzip2;
  const auto found = std::ranges::find_if(kForeignArchives, [&](const ForeignArchive& archive) {
    return head.starts_with(archive.magic);
  });
  return found == kForeignArchives.end() ? nullptr : &*found;
}

Result<std::unique_ptr<ByteStream>> open_packed(PackedInput input) {
  STROBE_TRY(const std::span<const char> head, input.peek(kSniffedBytes));
  if (auto archive = foreign_archive({head.data(), head.size()})) {
    archive->where = input.origin();
    return *std::move(archive);
  }
  switch (sniff_compression(head)) {
    case Compression::kGzip:
      return std::unique_ptr<ByteStream>(std::make_unique<FastestGzip>(std::move(input)));
    case Compression::kZstd:
      return std::unique_ptr<ByteStream>(std::make_unique<ZstdStream>(std::move(input)));
    case Compression::kNone:
      break;
  }
  return std::unique_ptr<ByteStream>(std::make_unique<PlainStream>(std::move(input)));
}

constexpr std::size_t kTextPieceBytes = 4 << 20;

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

std::optional<Error> foreign_archive(std::string_view first_bytes) {
  const ForeignArchive* archive = archive_at(first_bytes);
  if (archive == nullptr) return std::nullopt;
  return Error{
      ErrorCode::kMalformed, fmt::format("this is {}", archive->name), "",
      fmt::format("unpack it first: `{}`; gzip and zstd are read as they are", archive->unpacker)};
}

Result<std::unique_ptr<ByteStream>> open_stream(File file) {
  return open_packed(PackedInput(std::move(file)));
}

Result<std::unique_ptr<ByteStream>> open_stream(std::string_view memory) {
  return open_packed(PackedInput(memory));
}

std::unique_ptr<ByteStream> gzip_stream_by_zlib(std::string_view memory) {
  return std::make_unique<GzipStream<ZlibEngine>>(PackedInput(memory));
}

#if STROBE_HAVE_ISAL
std::unique_ptr<ByteStream> gzip_stream_by_isal(std::string_view memory) {
  return std::make_unique<GzipStream<IsalEngine>>(PackedInput(memory));
}
#endif

Result<std::string> read_text(const std::string& path, std::uint64_t most_bytes) {
  STROBE_TRY(File file, File::open(path));
  const std::uint64_t file_bytes = file.size_bytes();
  STROBE_TRY(const auto stream, open_stream(std::move(file)));
  std::string text;
  text.reserve(static_cast<std::size_t>(std::min(file_bytes, most_bytes)));
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kTextPieceBytes);
    const Result<std::size_t> bytes = stream->read({text.data() + before, kTextPieceBytes});
    text.resize(before + (bytes ? *bytes : 0));
    if (text.size() > most_bytes) {
      return Error{ErrorCode::kMalformed,
                   fmt::format("its text is longer than {}, the most that is read",
                               bytes_text(static_cast<std::int64_t>(most_bytes))),
                   path,
                   {}};
    }
    if (!bytes && text.empty()) return bytes.error();
    if (!bytes || *bytes == 0) return text;
  }
}

std::optional<std::string> unpacked_text(std::string_view packed, std::size_t most_bytes) {
  const auto stream = open_stream(packed);
  if (!stream) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> piece;
  while (text.size() <= most_bytes) {
    const Result<std::size_t> bytes = (*stream)->read(piece);
    if (!bytes) return std::nullopt;
    if (*bytes == 0) return text;
    text.append(piece.data(), *bytes);
  }
  return std::nullopt;
}

}  // namespace strobe
