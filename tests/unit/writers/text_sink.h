#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "strobe/writers/byte_sink.h"

namespace strobe::writers {

// Keeps what is written. After `most_bytes` the disk is full.
class TextSink final : public ByteSink {
 public:
  struct Seen {
    std::string text;
    bool is_finished = false;
  };

  explicit TextSink(Seen& seen, std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
      : seen_(seen), most_bytes_(most_bytes) {}

  Result<void> write(std::string_view bytes) override {
    if (seen_.text.size() + bytes.size() > most_bytes_) {
      return Error{ErrorCode::kCannotWrite, "the disk is full", "out.json", ""};
    }
    seen_.text += bytes;
    return {};
  }
  Result<void> finish() override {
    seen_.is_finished = true;
    return {};
  }

 private:
  Seen& seen_;
  std::size_t most_bytes_;
};

}  // namespace strobe::writers
