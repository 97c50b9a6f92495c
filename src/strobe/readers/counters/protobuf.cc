#include "strobe/readers/counters/protobuf.h"

#include <bit>
#include <cstddef>

namespace strobe::readers {
namespace {

// Little endian, on any machine.
std::uint64_t fixed(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

bool ProtobufFields::take_varint(std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ProtobufFields::take_bytes(std::uint64_t count, std::string_view& bytes) {
  if (count > left_.size()) return false;
  bytes = left_.substr(0, static_cast<std::size_t>(count));
  left_.remove_prefix(static_cast<std::size_t>(count));
  return true;
}

bool ProtobufFields::next() {
  if (left_.empty() || is_broken_) return false;
  std::uint64_t tag = 0;
  std::uint64_t size = 0;
  bool is_right = take_varint(tag) && tag >> 3 != 0 && tag >> 3 < (1u << 29);
  field_ = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7) {
    case 0:
      kind_ = Kind::kNumber;
      is_right = is_right && take_varint(number_);
      break;
    case 1:
      kind_ = Kind::kFixed64;
      is_right = is_right && take_bytes(8, bytes_);
      break;
    case 2:
      kind_ = Kind::kBytes;
      is_right = is_right && take_varint(size) && take_bytes(size, bytes_);
      break;
    case 5:
      kind_ = Kind::kFixed32;
      is_right = is_right && take_bytes(4, bytes_);
      break;
    default:  // groups are obsolete
      is_right = false;
  }
  is_broken_ = !is_right;
  return is_right;
}

double ProtobufFields::real() const {
  if (kind_ == Kind::kFixed32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(fixed(bytes_))));
  }
  return std::bit_cast<double>(fixed(bytes_));
}

}  // namespace strobe::readers
