#pragma once

#include <string>
#include <string_view>

namespace strobe {

// One zstd frame of the whole text, with its checksum, packed as small as the library can.
std::string pack_zstd(std::string_view text);

}  // namespace strobe
