#include "strobe/record/inject/activity/nvtx_text.h"

namespace strobe::record {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOperation = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";
constexpr std::string_view kInputs = ", input_op_ids = ";
constexpr std::string_view kPayload = "payload";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_character(std::uint32_t code) noexcept {
  return code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
}

void put_utf8(std::string& out, std::uint32_t code) noexcept {
  if (!is_character(code)) {
    out += kReplacement;
  } else if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

struct Utf8Character {
  std::size_t bytes = 0;  // that belong together
  bool is_valid = false;
  bool is_cut = false;  // the text ends inside of it
};

std::size_t bytes_of_character(unsigned char first) noexcept {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

Utf8Character character_at(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = bytes_of_character(first);
  if (bytes <= 1) return {1, bytes == 1, false};
  std::uint32_t code = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (i == text.size()) return {i, false, true};
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {i, false, false};
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t kFirstOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  return {bytes, is_character(code) && code >= kFirstOfLength[bytes], false};
}

// Takes the prefix and the digits after it from the front.
bool take_number(std::string_view& text, std::string_view prefix, std::uint64_t& value) noexcept {
  if (!text.starts_with(prefix)) return false;
  std::size_t end = prefix.size();
  std::uint64_t sum = 0;
  while (end < text.size() && is_digit(text[end])) {
    sum = sum * 10 + static_cast<std::uint64_t>(text[end++] - '0');
  }
  if (end == prefix.size()) return false;
  text.remove_prefix(end);
  value = sum;
  return true;
}

// What may follow the numbers: sizes, then the ids of the inputs.
bool take_sizes(std::string_view rest, std::string_view& sizes) noexcept {
  if (rest.empty()) return true;
  const std::size_t inputs = rest.find(kInputs);
  std::string_view before = rest.substr(0, inputs);
  if (before.empty()) return true;
  if (!before.starts_with(kSizes) || !before.ends_with(']')) return false;
  sizes = before.substr(std::string_view(", ").size());
  return true;
}

}  // namespace

std::string utf8_of(const wchar_t* text, std::size_t length) noexcept {
  std::string out;
  out.reserve(length);
  for (std::size_t i = 0; i < length; ++i) put_utf8(out, static_cast<std::uint32_t>(text[i]));
  return out;
}

std::string clean_utf8(std::string_view text) noexcept {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = character_at(text);
    if (character.is_cut) break;
    out += character.is_valid ? text.substr(0, character.bytes) : kReplacement;
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string without_numbers(std::string_view text) noexcept {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) {
      out += text[i];
    } else if (i == 0 || !is_digit(text[i - 1])) {
      out += '#';
    }
  }
  return out;
}

TorchName split_torch_name(std::string_view text) noexcept {
  TorchName whole;
  whole.name = text;
  // Most names of other programs are told apart by their last character.
  if (text.empty() || (!is_digit(text.back()) && text.back() != ']')) return whole;
  std::size_t end = text.find(kSequence);
  if (end == std::string_view::npos) end = text.find(kOperation);
  if (end == std::string_view::npos) return whole;
  TorchName split;
  split.name = text.substr(0, end);
  std::string_view rest = text.substr(end);
  std::uint64_t operation = 0;
  if (take_number(rest, kSequence, split.value)) split.number = TorchName::Number::kSequence;
  if (take_number(rest, kOperation, operation) && split.number == TorchName::Number::kNone) {
    split.number = TorchName::Number::kOperation;
    split.value = operation;
  }
  if (split.number == TorchName::Number::kNone || !take_sizes(rest, split.sizes)) return whole;
  return split;
}

std::string text_of(const TorchName& name) noexcept {
  std::string text(name.name);
  if (name.number == TorchName::Number::kSequence) text.append(kSequence).append(kPayload);
  if (name.number == TorchName::Number::kOperation) text.append(kOperation).append(kPayload);
  if (!name.sizes.empty()) text.append(", ").append(name.sizes);
  return text;
}

}  // namespace strobe::record
