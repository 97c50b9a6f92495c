#include "strobe/device/name_words.h"

namespace strobe::device {
namespace {

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return is_upper(c) || is_lower(c) || is_digit(c); }
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }

// "nchwTo", "conv2dBackward", and the N of "RMSNorm": the last capital of a row opens a word.
bool opens_word(std::string_view name, std::size_t index) {
  if (index == 0 || !is_upper(name[index])) return false;
  const char before = name[index - 1];
  if (is_lower(before) || is_digit(before)) return true;
  return is_upper(before) && index + 1 < name.size() && is_lower(name[index + 1]);
}

}  // namespace

std::string name_words(std::string_view name) {
  std::string words = "^_";
  words.reserve(name.size() + name.size() / 4);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_gap = !is_letter(name[i]) || opens_word(name, i);
    if (is_gap && words.back() != '_') words += '_';
    if (is_letter(name[i])) words += lower(name[i]);
  }
  if (words.back() != '_') words += '_';
  return words + '$';
}

}  // namespace strobe::device
