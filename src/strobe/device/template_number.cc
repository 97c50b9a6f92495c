#include "strobe/device/template_number.h"

#include "strobe/device/brackets.h"

namespace strobe::device {

std::string_view template_number(std::string_view argument) {
  constexpr std::size_t kLongest = 200;  // of an enumeration's name
  if (argument == "true") return "1";
  if (argument == "false") return "0";
  if (argument.starts_with('(')) {  // `(int)4`, `(ns::Order)0`
    const std::size_t close = after_bracket(argument.substr(0, kLongest), 0);
    if (close == std::string_view::npos) return {};
    argument.remove_prefix(close);
  }
  const std::size_t sign = argument.starts_with('-') ? 1 : 0;
  std::size_t end = argument.find_first_not_of("0123456789", sign);
  if (end == std::string_view::npos) end = argument.size();
  const bool is_suffix = argument.find_first_not_of("ulUL", end) == std::string_view::npos;
  return end > sign && is_suffix ? argument.substr(0, end) : std::string_view();
}

}  // namespace strobe::device
