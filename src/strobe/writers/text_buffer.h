#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/writers/byte_sink.h"

namespace strobe::writers {

// Text on its way to a sink, in blocks. After the first error of the sink nothing more is written,
// and flush() returns that error.
class TextBuffer {
 public:
  explicit TextBuffer(ByteSink& sink) : sink_(&sink), bytes_(kBlockBytes) {}

  bool has_failed() const { return error_.has_value(); }

  // PERF: one check of the room for a whole event, then plain copies. A place for at least `bytes`
  // characters; take() adds what was put there.
  char* room(std::size_t bytes) {
    if (bytes_.size() - used_ < bytes) [[unlikely]]
      make_room(bytes);
    return bytes_.data() + used_;
  }
  void take(const char* end) { used_ = static_cast<std::size_t>(end - bytes_.data()); }

  void append(std::string_view text) { take(put(text, room(text.size()))); }

  Result<void> flush() {
    if (!error_ && used_ > 0) {
      if (auto written = sink_->write({bytes_.data(), used_}); !written) {
        error_ = std::move(written).error();
      }
    }
    used_ = 0;
    if (error_) return *error_;
    return {};
  }

  // These write at `to` and return one past the last character.

  static char* put(std::string_view text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }

  static constexpr std::size_t kLongestNumber = 32;

  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  static char* put(Number number, char* to) {
    return std::to_chars(to, to + kLongestNumber, number).ptr;
  }

  // Nanoseconds as microseconds: "12" or "12.345". Perfetto reads such a number as a double and
  // cuts it to nanoseconds, which makes 12.344 of some: these get a fourth digit, which every
  // rounding reader drops.
  static char* put_microseconds(std::int64_t ns, char* to) {
    if (ns < 0) {
      *to++ = '-';
      ns = -ns;
    }
    to = put(ns / 1000, to);
    const auto rest = static_cast<int>(ns % 1000);
    if (rest == 0) return to;
    *to++ = '.';
    *to++ = static_cast<char>('0' + rest / 100);
    *to++ = static_cast<char>('0' + rest / 10 % 10);
    *to++ = static_cast<char>('0' + rest % 10);
    if (is_cut_short(ns)) *to++ = '4';
    return to;
  }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 18;

  // Parsers add the fraction to the whole or round the quotient.
  static bool is_cut_short(std::int64_t ns) {
    const double quotient = static_cast<double>(ns) / 1000.0;
    const double sum = static_cast<double>(ns / 1000) + static_cast<double>(ns % 1000) / 1000.0;
    return static_cast<std::int64_t>(quotient * 1000.0) != ns ||
           static_cast<std::int64_t>(sum * 1000.0) != ns;
  }

  void make_room(std::size_t bytes) {
    static_cast<void>(flush());
    if (bytes_.size() < bytes) bytes_.resize(bytes);
  }

  ByteSink* sink_;
  std::vector<char> bytes_;
  std::size_t used_ = 0;
  std::optional<Error> error_;
};

}  // namespace strobe::writers
