#pragma once

#include <string>
#include <string_view>

namespace strobe::device {

// How strobe writes a type of numbers, whatever a library calls it: `c10::Half` is "f16", `unsigned
// int` "u32". Empty for anything else.
std::string type_word(std::string_view type);

}  // namespace strobe::device
