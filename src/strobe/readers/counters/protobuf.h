#pragma once

#include <cstdint>
#include <string_view>

namespace strobe::readers {

// Walks the fields of one protobuf message and trusts none of its sizes: a field that does not fit
// ends the walk and leaves is_broken().
class ProtobufFields {
 public:
  enum class Kind : std::uint8_t { kNumber, kFixed64, kBytes, kFixed32 };

  explicit ProtobufFields(std::string_view message) : left_(message) {}

  bool next();
  std::uint32_t field() const { return field_; }
  Kind kind() const { return kind_; }

  bool is_bytes(std::uint32_t field) const { return field_ == field && kind_ == Kind::kBytes; }
  bool is_number(std::uint32_t field) const { return field_ == field && kind_ == Kind::kNumber; }

  std::uint64_t number() const { return number_; }   // of kNumber
  std::string_view bytes() const { return bytes_; }  // of kBytes
  double real() const;                               // of kFixed64 and kFixed32
  bool is_broken() const { return is_broken_; }

 private:
  bool take_varint(std::uint64_t& value);
  bool take_bytes(std::uint64_t count, std::string_view& bytes);

  std::string_view left_;
  std::uint32_t field_ = 0;
  Kind kind_ = Kind::kNumber;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  bool is_broken_ = false;
};

}  // namespace strobe::readers
