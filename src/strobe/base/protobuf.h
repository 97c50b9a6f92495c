#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace strobe {

// Takes a number off the front of [p, end). False, with `p` anywhere, if there is none.
// PERF: most numbers have one byte.
inline bool take_varint(const char*& p, const char* end, std::uint64_t& value) {
  if (p < end && static_cast<signed char>(*p) >= 0) [[likely]] {
    value = static_cast<unsigned char>(*p++);
    return true;
  }
  value = 0;
  for (int shift = 0; shift < 70 && p < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7Fu) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Bytes that lie behind some messages and may be read, although they are not part of them.
inline constexpr std::size_t kProtobufSlack = 8;

// The same for a number in a message with kProtobufSlack.
// PERF: times have four to eight bytes, and a loop over them cannot be predicted.
inline bool take_varint_with_slack(const char*& p, const char* end, std::uint64_t& value) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  const std::uint64_t stops = ~word & 0x8080808080808080u;
  if (stops == 0) [[unlikely]]
    return take_varint(p, end, value);
  word &= (stops ^ (stops - 1)) & 0x7F7F7F7F7F7F7F7Fu;
  // Seven bits of every byte move together: in pairs, in fours, in eights.
  word = (word & 0x007F007F007F007Fu) | (word & 0x7F007F007F007F00u) >> 1;
  word = (word & 0x00003FFF00003FFFu) | (word & 0x3FFF00003FFF0000u) >> 2;
  value = (word & 0x000000000FFFFFFFu) | (word & 0x0FFFFFFF00000000u) >> 4;
  p += (std::countr_zero(stops) + 1) / 8;
  return p <= end;
}

// Walks the fields of one protobuf message and trusts none of its sizes: a field that does not fit
// ends the walk and leaves is_broken().
//
// PERF: readers call next() tens of millions of times; all of it is inline.
class ProtobufFields {
 public:
  enum class Kind : std::uint8_t { kNumber, kFixed64, kBytes, kFixed32 };

  explicit ProtobufFields(std::string_view message)
      : p_(message.data()), end_(message.data() + message.size()) {}

  bool next();
  std::uint32_t field() const { return field_; }
  Kind kind() const { return kind_; }

  bool is_bytes(std::uint32_t field) const { return field_ == field && kind_ == Kind::kBytes; }
  bool is_number(std::uint32_t field) const { return field_ == field && kind_ == Kind::kNumber; }
  // A number of 32 or 64 bits in the width that the file stores it in.
  bool is_fixed(std::uint32_t field) const {
    return field_ == field && (kind_ == Kind::kFixed64 || kind_ == Kind::kFixed32);
  }

  std::uint64_t number() const { return number_; }  // of kNumber, kFixed64 and kFixed32
  std::int64_t signed_number() const { return static_cast<std::int64_t>(number_); }
  std::string_view bytes() const { return bytes_; }  // of kBytes
  double real() const;                               // of kFixed64 and kFixed32
  const char* behind() const { return p_; }          // where the next field begins
  bool is_broken() const { return is_broken_; }

 private:
  bool take_fixed(std::size_t bytes);

  const char* p_;
  const char* end_;
  std::uint32_t field_ = 0;
  Kind kind_ = Kind::kNumber;
  bool is_broken_ = false;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
};

inline constexpr std::uint64_t kMostProtobufField = (1u << 29) - 1;

inline bool ProtobufFields::take_fixed(std::size_t bytes) {
  if (static_cast<std::size_t>(end_ - p_) < bytes) return false;
  number_ = 0;
  std::memcpy(&number_, p_, bytes);
  static_assert(std::endian::native == std::endian::little, "the file's numbers are little endian");
  p_ += bytes;
  return true;
}

inline bool ProtobufFields::next() {
  if (p_ >= end_ || is_broken_) return false;
  std::uint64_t tag = 0;
  is_broken_ = !take_varint(p_, end_, tag);
  const std::uint64_t field = tag >> 3;
  is_broken_ = is_broken_ || field == 0 || field > kMostProtobufField;
  field_ = static_cast<std::uint32_t>(field);
  switch (tag & 7) {
    case 0:
      kind_ = Kind::kNumber;
      is_broken_ = is_broken_ || !take_varint(p_, end_, number_);
      break;
    case 1:
      kind_ = Kind::kFixed64;
      is_broken_ = is_broken_ || !take_fixed(8);
      break;
    case 2: {
      kind_ = Kind::kBytes;
      std::uint64_t size = 0;
      is_broken_ = is_broken_ || !take_varint(p_, end_, size) ||
                   size > static_cast<std::uint64_t>(end_ - p_);
      if (is_broken_) break;
      bytes_ = {p_, static_cast<std::size_t>(size)};
      p_ += size;
      break;
    }
    case 5:
      kind_ = Kind::kFixed32;
      is_broken_ = is_broken_ || !take_fixed(4);
      break;
    default:  // groups are obsolete
      is_broken_ = true;
  }
  return !is_broken_;
}

// The value of a list of numbers, which may be one field for each or all of them packed into one.
template <class Take>
void for_each_number(const ProtobufFields& field, Take&& take) {
  if (field.kind() != ProtobufFields::Kind::kBytes) {
    take(field.number());
    return;
  }
  const char* p = field.bytes().data();
  const char* const end = p + field.bytes().size();
  for (std::uint64_t value = 0; p < end && take_varint(p, end, value);) take(value);
}

// The same for a list whose numbers have 64 bits in the file.
template <class Take>
void for_each_fixed64(const ProtobufFields& field, Take&& take) {
  if (field.kind() != ProtobufFields::Kind::kBytes) {
    take(field.number());
    return;
  }
  for (std::string_view left = field.bytes(); left.size() >= 8; left.remove_prefix(8)) {
    std::uint64_t value = 0;
    std::memcpy(&value, left.data(), sizeof value);
    take(value);
  }
}

}  // namespace strobe
