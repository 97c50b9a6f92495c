#pragma once

#include <string_view>

namespace strobe::paddle {

// A templated kernel's name without its parameter list: "void f<4>(int)" becomes "void f<4>". The
// cut is behind the last '>' that a parameter list follows; names without one stay whole.
std::string_view without_parameters(std::string_view name);

}  // namespace strobe::paddle
