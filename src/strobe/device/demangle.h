#pragma once

#include <string>
#include <string_view>

namespace strobe::device {

// The text behind an ABI name (`_Z6k_copyPK6float4`); anything else comes back as it is.
std::string demangled(std::string_view name);

}  // namespace strobe::device
