#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Where a vendor's library may lie: the loader's own places first, then toolkits and Python wheels.
namespace strobe::bench {

// `wheels` are the folders of the vendor's packages below site-packages/nvidia: "cublas", "cu13".
std::vector<std::string> library_places(std::span<const std::string_view> sonames,
                                        std::span<const std::string_view> wheels);

}  // namespace strobe::bench
