#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strobe {

enum class PackEffort : std::uint8_t {
  kSmallest,  // as small as the library can
  kQuick,     // some percent larger, twenty times as fast
};

// One zstd frame of the whole text, with its checksum.
std::string pack_zstd(std::string_view text, PackEffort effort = PackEffort::kSmallest);

}  // namespace strobe
