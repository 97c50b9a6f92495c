#pragma once

#include <string>
#include <string_view>

namespace strobe::device {

// What the template arguments of a kernel say of the instance: "add<f32>, vec4". Empty if nothing
// tells it from its neighbours.
std::string kernel_detail(std::string_view base, std::string_view arguments);

}  // namespace strobe::device
