#pragma once

#include <filesystem>
#include <vector>

namespace strobe::record {

// What is in a folder, by name. A folder that is not there, or that cannot be read to its end, has
// only what was found: other recorders and programs change it meanwhile.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

}  // namespace strobe::record
