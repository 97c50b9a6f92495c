#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strobe {

// FIPS 180-4. For naming contents, such as the scripts a page may run; small texts.
std::array<std::uint8_t, 32> sha256(std::string_view text);
std::string sha256_base64(std::string_view text);

}  // namespace strobe
