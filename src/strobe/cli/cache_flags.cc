#include "strobe/cli/cache_flags.h"

#include <cstdlib>

namespace strobe::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

std::vector<Flag> cache_flags() {
  return {{.name = "cache",
           .kind = FlagKind::kNegatable,
           .help = "keep what was loaded, so that the same file opens at once next time (default: "
                   "on for files over 8 MB)"},
          {.name = "cache-dir",
           .kind = FlagKind::kValue,
           .value = "DIR",
           .help = "where (default: $XDG_CACHE_HOME/strobe or ~/.cache/strobe); at most 4 GiB"}};
}

std::filesystem::path default_cache_folder(std::string_view xdg_cache_home, std::string_view home) {
  const std::filesystem::path given(xdg_cache_home);
  if (given.is_absolute()) return given / "strobe";  // its specification ignores relative ones
  const std::filesystem::path own(home);
  return own.is_absolute() ? own / ".cache" / "strobe" : std::filesystem::path();
}

readers::CacheOptions cache_options(const Arguments& arguments) {
  readers::CacheOptions options;
  if (!arguments.is_on("cache", true)) return options;
  if (arguments.has("cache")) options.least_file_bytes = 0;
  options.folder = arguments.has("cache-dir")
                       ? std::filesystem::path(arguments.get("cache-dir"))
                       : default_cache_folder(variable("XDG_CACHE_HOME"), variable("HOME"));
  return options;
}

}  // namespace strobe::cli
