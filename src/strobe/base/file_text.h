#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "strobe/base/result.h"

namespace strobe {

// The whole text of a file, unpacked. kTooLittleData when there is more than `most_bytes` of it; a
// text that is damaged somewhere is what stands before the damage.
Result<std::string> read_text(const std::filesystem::path& path,
                              std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace strobe
