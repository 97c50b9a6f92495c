#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::cli {

// --cache and --cache-dir, for the verbs that open traces.
std::vector<Flag> cache_flags();

// What they and the environment say. A typed --cache means files of any length.
readers::CacheOptions cache_options(const Arguments& arguments);

// From the values of XDG_CACHE_HOME and HOME; empty if neither leads anywhere.
std::filesystem::path default_cache_folder(std::string_view xdg_cache_home, std::string_view home);

}  // namespace strobe::cli
