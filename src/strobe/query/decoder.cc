#include "strobe/query/decoder.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace strobe::query {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// A whole number of 128 bits, its last `scale` digits behind a point.
Value number_value(Wide number, int scale) {
  if (scale == 0 && number >= INT64_MIN && number <= INT64_MAX) {
    return static_cast<std::int64_t>(number);
  }
  const bool is_negative = number < 0;
  UnsignedWide left =
      is_negative ? -static_cast<UnsignedWide>(number) : static_cast<UnsignedWide>(number);
  std::string digits;
  for (int place = 0; left != 0 || place <= scale; ++place) {
    if (place == scale && scale != 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
  }
  if (is_negative) digits += '-';
  return Digits{{digits.rbegin(), digits.rend()}};
}

template <class Number>
Number value_at(const void* data, std::size_t row) {
  return static_cast<const Number*>(data)[row];
}

}  // namespace

bool is_decodable(duckdb::TypeId type) {
  switch (type) {
    case duckdb::kBoolean:
    case duckdb::kTinyInt:
    case duckdb::kSmallInt:
    case duckdb::kInteger:
    case duckdb::kBigInt:
    case duckdb::kUnsignedTinyInt:
    case duckdb::kUnsignedSmallInt:
    case duckdb::kUnsignedInteger:
    case duckdb::kUnsignedBigInt:
    case duckdb::kFloat:
    case duckdb::kDouble:
    case duckdb::kHugeInt:
    case duckdb::kVarchar:
    case duckdb::kDecimal:
    case duckdb::kEnum:
      return true;
  }
  return false;
}

ValueType value_type(duckdb::TypeId type) {
  switch (type) {
    case duckdb::kBoolean:
      return ValueType::kBool;
    case duckdb::kFloat:
    case duckdb::kDouble:
    case duckdb::kDecimal:
      return ValueType::kReal;
    case duckdb::kVarchar:
    case duckdb::kEnum:
      return ValueType::kText;
    default:
      return ValueType::kWhole;
  }
}

// The type of names shows all of them: "ENUM('a', 'it''s')" becomes "NAME".
std::string without_dictionaries(std::string text) {
  constexpr std::string_view kStart = "ENUM('";
  for (std::size_t at = 0; (at = text.find(kStart, at)) != std::string::npos; ++at) {
    bool is_quoted = false;
    std::size_t end = at + kStart.size() - 1;
    for (; end < text.size(); ++end) {
      if (text[end] == '\'') is_quoted = !is_quoted;
      if (text[end] == ')' && !is_quoted) break;
    }
    text.replace(at, std::min(text.size(), end + 1) - at, "NAME");
  }
  return text;
}

Decoder::Decoder(const duckdb::Library& duckdb, duckdb::Type type, duckdb::TypeId id)
    : duckdb_(duckdb), type_(type), id_(id), is_enum_(id == duckdb::kEnum) {
  if (id == duckdb::kDecimal) {
    scale_ = duckdb.decimal_scale(type);
    id_ = duckdb.decimal_internal_type(type);
  } else if (is_enum_) {
    id_ = duckdb.enum_internal_type(type);
    texts_.resize(duckdb.enum_dictionary_size(type));
    is_known_.resize(texts_.size());
  }
}

template <class Number>
Value Decoder::whole(Number number) {
  if (is_enum_) return text_of(static_cast<std::size_t>(number));
  return number_value(number, scale_);
}

std::vector<Value> Decoder::decode(duckdb::Vector vector, std::size_t rows) {
  std::vector<Value> values;
  values.reserve(rows);
  const void* data = duckdb_.vector_get_data(vector);
  const std::uint64_t* validity = duckdb_.vector_get_validity(vector);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_null = validity != nullptr && ((validity[row / 64] >> (row % 64)) & 1u) == 0;
    values.push_back(is_null ? Value(Null{}) : value(data, row));
  }
  return values;
}

Value Decoder::value(const void* data, std::size_t row) {
  switch (id_) {
    case duckdb::kBoolean:
      return value_at<bool>(data, row);
    case duckdb::kTinyInt:
      return whole(value_at<std::int8_t>(data, row));
    case duckdb::kSmallInt:
      return whole(value_at<std::int16_t>(data, row));
    case duckdb::kInteger:
      return whole(value_at<std::int32_t>(data, row));
    case duckdb::kBigInt:
      return whole(value_at<std::int64_t>(data, row));
    case duckdb::kUnsignedTinyInt:
      return whole(value_at<std::uint8_t>(data, row));
    case duckdb::kUnsignedSmallInt:
      return whole(value_at<std::uint16_t>(data, row));
    case duckdb::kUnsignedInteger:
      return whole(value_at<std::uint32_t>(data, row));
    case duckdb::kUnsignedBigInt:
      return whole(value_at<std::uint64_t>(data, row));
    case duckdb::kHugeInt: {
      const auto number = value_at<duckdb::HugeInt>(data, row);
      return whole((static_cast<Wide>(number.upper) << 64) | number.lower);
    }
    case duckdb::kFloat:
      return static_cast<double>(value_at<float>(data, row));
    case duckdb::kDouble:
      return value_at<double>(data, row);
    default:
      return without_dictionaries(
          std::string(static_cast<const duckdb::String*>(data)[row].view()));
  }
}

std::string Decoder::text_of(std::size_t code) {
  if (code >= texts_.size()) return "";
  if (!is_known_[code]) {
    char* text = duckdb_.enum_dictionary_value(type_, code);
    texts_[code] = text;
    duckdb_.free(text);
    is_known_[code] = true;
  }
  return texts_[code];
}

}  // namespace strobe::query
