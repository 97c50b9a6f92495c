#pragma once

#include <memory>
#include <string_view>

#include "strobe/base/byte_stream.h"
#include "strobe/base/result.h"

namespace strobe::writers {

// Takes a text from front to back, the counterpart of a ByteStream. Memory stays bounded however
// long the text is.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  virtual Result<void> write(std::string_view bytes) = 0;
  // Writes what is still held back. A text without its finish() is not complete; one that failed
  // needs none.
  virtual Result<void> finish() = 0;
};

// Compresses for speed, and passes the result on. kNone passes the text on as it is.
std::unique_ptr<ByteSink> pack(std::unique_ptr<ByteSink> target, Compression compression);

// Writes to `target` on a thread of its own, through a ring of 1 MiB blocks, so that formatting and
// compression overlap. An error of the target is the answer to a later call.
std::unique_ptr<ByteSink> in_background(std::unique_ptr<ByteSink> target);

}  // namespace strobe::writers
