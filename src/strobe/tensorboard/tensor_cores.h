#pragma once

#include <string_view>

namespace strobe::tensorboard {

bool kernel_uses_tensor_cores(std::string_view kernel_name);
bool operator_could_use_tensor_cores(std::string_view operator_name);

}  // namespace strobe::tensorboard
