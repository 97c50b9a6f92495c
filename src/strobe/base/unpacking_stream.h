#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/base/packed_input.h"

namespace strobe {

// What the formats share: fill the caller's buffer step by step, hand out what came before a damage
// first, and remember how the stream ended.
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

std::unique_ptr<ByteStream> gzip_stream(PackedInput input);  // the fastest engine of this build
std::unique_ptr<ByteStream> zstd_stream(PackedInput input);

// The two gzip engines, by name, so that tests can hold one against the other.
std::unique_ptr<ByteStream> gzip_stream_by_zlib(PackedInput input);
#if STROBE_HAVE_ISAL
std::unique_ptr<ByteStream> gzip_stream_by_isal(PackedInput input);
#endif

}  // namespace strobe
