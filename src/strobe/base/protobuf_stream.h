#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/protobuf.h"

namespace strobe {

// Reads a protobuf message of any length from front to back, in bounded memory: its fields and,
// after enter(), the fields of a message in it. What is not asked for is skipped; in a plain file
// that costs nothing.
//
//   while (stream.next()) {
//     if (!stream.is_bytes(kLines)) continue;
//     stream.enter();
//     while (stream.next()) ...
//     stream.leave();
//   }
class ProtobufStream {
 public:
  using Kind = ProtobufFields::Kind;

  explicit ProtobufStream(std::unique_ptr<ByteStream> stream);
  explicit ProtobufStream(File file);  // plain and seekable

  // The next field of the message that is open; false at its end, and where the input is cut or
  // broken.
  bool next();
  // Calls take(bytes) for each of the next kBytes fields of this number below 16 that follow each
  // other and have been read already, until it is false; false if it was. kProtobufSlack bytes lie
  // behind each. Meanwhile only offset() and field_offset() may be asked. PERF: a quick next() and
  // bytes() for fields that come by the million.
  template <class Take>
  bool take_neighbours(std::uint32_t field, Take take);
  std::uint32_t field() const { return field_; }
  Kind kind() const { return kind_; }
  bool is_bytes(std::uint32_t field) const { return field_ == field && kind_ == Kind::kBytes; }
  bool is_number(std::uint32_t field) const { return field_ == field && kind_ == Kind::kNumber; }
  std::uint64_t number() const { return number_; }              // of kNumber, kFixed64 and kFixed32
  std::uint64_t length() const { return length_; }              // of kBytes
  std::uint64_t field_offset() const { return field_offset_; }  // where it begins

  // All bytes of a kBytes field, valid until the next call, with kProtobufSlack bytes behind them.
  // Nothing if there are more than `most_bytes`, or if the input ends before them.
  std::optional<std::string_view> bytes(std::size_t most_bytes);

  // Opens the message in a kBytes field. leave() goes on behind it, and forgets that it was broken.
  void enter();
  void leave();

  // A field of the message that is open cannot be.
  bool is_broken() const { return is_broken_; }
  // The input ends inside a message, or was damaged there.
  bool is_cut() const { return is_cut_; }
  const std::optional<Error>& damage() const { return damage_; }
  std::uint64_t file_bytes() const { return file_ ? file_->size_bytes() : 0; }  // 0 if not plain
  std::uint64_t offset() const { return base_ + position_; }

 private:
  static constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

  std::size_t ahead() const { return filled_ - position_; }
  std::size_t window_bytes() const { return window_.size() - kProtobufSlack; }
  bool fill(std::size_t wanted);
  std::size_t read_more(char* to, std::size_t bytes);
  void skip_to(std::uint64_t offset);
  bool take_number(std::uint64_t& value);
  bool stop_broken();

  std::unique_ptr<ByteStream> stream_;
  std::optional<File> file_;
  std::vector<char> window_;                    // and kProtobufSlack bytes
  std::size_t position_ = 0;                    // in the window
  std::size_t filled_ = 0;                      // its bytes
  std::uint64_t base_ = 0;                      // the offset of its first byte
  bool has_ended_ = false;                      // the input has no more bytes
  std::vector<std::uint64_t> ends_ = {kNoEnd};  // of the open messages
  std::uint64_t field_end_ = 0;                 // next() skips what was not taken

  std::uint32_t field_ = 0;
  Kind kind_ = Kind::kNumber;
  std::uint64_t number_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t field_offset_ = 0;
  bool is_broken_ = false;
  bool is_cut_ = false;
  std::optional<Error> damage_;
};

template <class Take>
bool ProtobufStream::take_neighbours(std::uint32_t field, Take take) {
  if (is_broken_ || is_cut_ || offset() < field_end_ || ends_.back() < base_) return true;
  const char* const window = window_.data();
  const char* const end = window + std::min<std::uint64_t>(filled_, ends_.back() - base_);
  const char* p = window + position_;
  bool goes_on = true;
  while (goes_on && end - p >= 2 && static_cast<unsigned char>(*p) == (field << 3 | 2)) {
    const char* begin = p + 1;
    std::uint64_t length = 0;
    if (static_cast<signed char>(*begin) >= 0) [[likely]] {
      length = static_cast<unsigned char>(*begin++);
    } else if (!take_varint_with_slack(begin, end, length)) {
      break;
    }
    if (length > static_cast<std::uint64_t>(end - begin)) break;
    field_offset_ = base_ + static_cast<std::uint64_t>(p - window);
    p = begin + length;
    position_ = static_cast<std::size_t>(p - window);
    goes_on = take(std::string_view(begin, static_cast<std::size_t>(length)));
  }
  field_end_ = offset();
  return goes_on;
}

}  // namespace strobe
