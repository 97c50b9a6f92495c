#include "strobe/paddle/kernel_name.h"

namespace strobe::paddle {

std::string_view without_parameters(std::string_view name) {
  const std::size_t open = name.find('<', 1);
  const std::size_t last_close = name.rfind(')');
  if (open == std::string_view::npos || last_close == std::string_view::npos) return name;
  for (std::size_t i = name.size(); i-- > open + 1;) {
    if (name[i] == '>' && i + 1 < name.size() && name[i + 1] == '(' && last_close >= i + 2) {
      return name.substr(0, i + 1);
    }
  }
  return name;
}

}  // namespace strobe::paddle
