#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The texts that a program gives to its ranges, on their way into the file of the run.
namespace strobe::record {

// More of a text is not read: it is a name, not a document.
inline constexpr std::size_t kMostNameBytes = 1024;

// As UTF-8; what is not a character becomes U+FFFD.
std::string utf8_of(const wchar_t* text, std::size_t length) noexcept;
// The same text if it is UTF-8; a character that is cut off at the end is left out.
std::string clean_utf8(std::string_view text) noexcept;

// Every run of digits becomes one "#": "step 17 of 100" and "step 18 of 100" are one name then.
std::string without_numbers(std::string_view text) noexcept;

// torch names the range of an operator "aten::mm, seq = 17, op_id = 310, sizes = [[2, 3], [3, 4]],
// input_op_ids = [...]", where all but the operator may be missing. With its numbers, each range
// has a name of its own, and millions of names fit nowhere: the sequence number, which joins an
// operator with its backward, becomes the payload of the range (without one, op_id does), and only
// the sizes stay.
struct TorchName {
  enum class Number : std::uint8_t { kNone, kSequence, kOperation };
  std::string_view name;   // all of the text if it is not of this form
  std::string_view sizes;  // "sizes = [[2, 3], [3, 4]]" or ""
  Number number = Number::kNone;
  std::uint64_t value = 0;
};
TorchName split_torch_name(std::string_view text) noexcept;
// "aten::mm, seq = payload", "aten::mm, op_id = payload, sizes = [[2, 3], [3, 4]]".
std::string text_of(const TorchName& name) noexcept;

}  // namespace strobe::record
