#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

namespace strobe::cli {

// The name that was meant: itself, or the only one that begins so; case does not count. Otherwise
// an error that lists what there is. `flag` has its dashes.
Result<std::string> resolve_name(std::string_view flag, std::string_view typed,
                                 const std::vector<std::string>& available);
Result<std::vector<std::string>> resolve_names(std::string_view flag,
                                               const std::vector<std::string>& typed,
                                               const std::vector<std::string>& available);

}  // namespace strobe::cli
