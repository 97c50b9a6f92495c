#pragma once

#include <string>
#include <string_view>

namespace strobe {

// One gzip member of the whole text, packed for speed (level 1).
std::string pack_gzip(std::string_view text);

}  // namespace strobe
