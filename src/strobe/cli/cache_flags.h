#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/readers/trace_cache.h"

// --cache and --no-cache: where loaded traces are kept for the next time.
namespace strobe::cli {

std::vector<Flag> cache_flags();
readers::CacheOptions cache_options(const Arguments& arguments);

// By the values of XDG_CACHE_HOME and HOME; "" if neither names a folder.
std::string default_cache_folder(std::string_view cache_home, std::string_view home);

}  // namespace strobe::cli
