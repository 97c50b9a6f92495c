#include "strobe/compare/measure/function_name.h"

#include "strobe/device/name_parts.h"

namespace strobe::compare {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string_view without_blanks_behind(std::string_view name) {
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return name;
}

std::string_view without_trailing_digits(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

// ".constprop.0", ".cold", ".lto_priv.3.llvm.1234": one at a time, from the back.
std::string_view without_clone_suffix(std::string_view name) {
  constexpr std::string_view kWords[] = {".constprop", ".isra", ".part",  ".cold",
                                         ".lto_priv",  ".llvm", ".clone", ".localalias"};
  std::string_view stem = without_trailing_digits(name);
  const bool is_numbered = stem.size() < name.size() && stem.ends_with('.');
  if (is_numbered) {
    stem.remove_suffix(1);
  } else if (stem.size() < name.size()) {
    return name;
  }
  for (const std::string_view word : kWords) {
    if (stem.ends_with(word)) return stem.substr(0, stem.size() - word.size());
  }
  return name;
}

std::string_view without_clone_bracket(std::string_view name) {
  if (!name.ends_with(']')) return name;
  const std::size_t open = name.rfind("[clone ");
  if (open == std::string_view::npos || name.find(']', open) != name.size() - 1) return name;
  return without_blanks_behind(name.substr(0, open));
}

// "f+0x1a", "f @ 0x7f00", "f (0x7f00)", "f [0x7f00]". A bare hexadecimal word is left alone unless
// something sets it apart: it may be the name.
std::string_view without_address(std::string_view name) {
  std::string_view stem = name;
  const char closing = stem.empty() ? '\0' : stem.back();
  const bool is_bracketed = closing == ')' || closing == ']';
  if (is_bracketed) stem.remove_suffix(1);
  const std::size_t digits_end = stem.size();
  while (!stem.empty() && is_hex_digit(stem.back())) stem.remove_suffix(1);
  if (stem.size() == digits_end || !stem.ends_with("0x")) return name;
  stem.remove_suffix(2);
  if (is_bracketed) {
    if (!stem.ends_with(closing == ')' ? '(' : '[')) return name;
    stem.remove_suffix(1);
  } else if (!stem.ends_with('+') && !stem.ends_with('@') && !stem.ends_with(' ')) {
    return name;
  }
  while (!stem.empty() && (stem.back() == '+' || stem.back() == '@' || stem.back() == ' ')) {
    stem.remove_suffix(1);
  }
  return stem;
}

std::string_view without_decoration(std::string_view name) {
  for (std::string_view before; before != name && !name.empty();) {
    before = name;
    name = without_clone_suffix(without_clone_bracket(without_address(name)));
  }
  return name;
}

}  // namespace

std::string canonical_name(std::string_view name) {
  const std::string_view stem = without_decoration(without_blanks_behind(name));
  if (stem.empty()) return std::string(name);
  // The demangler knows clones as well, and writes them in brackets.
  const std::string plain = device::demangled(stem);
  return std::string(without_decoration(plain));
}

}  // namespace strobe::compare
