#include "strobe/cli/cache_flags.h"

#include <cstdlib>

#include <fmt/format.h>

namespace strobe::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::vector<Flag> cache_flags() {
  return {{.name = "cache",
           .kind = FlagKind::kValue,
           .value = "DIR",
           .help = "keep loaded traces in this folder, so that opening them again takes a tenth of "
                   "the time (default: ~/.cache/strobe)"},
          {.name = "no-cache", .help = "neither read nor write the cache"}};
}

std::string default_cache_folder(std::string_view cache_home, std::string_view home) {
  // The XDG rules: a path that is not absolute is ignored.
  if (cache_home.starts_with('/')) return fmt::format("{}/strobe", cache_home);
  return home.starts_with('/') ? fmt::format("{}/.cache/strobe", home) : std::string();
}

readers::CacheOptions cache_options(const Arguments& arguments) {
  readers::CacheOptions options;
  if (arguments.is_on("no-cache")) return options;
  options.folder = arguments.has("cache")
                       ? arguments.get("cache")
                       : default_cache_folder(variable("XDG_CACHE_HOME"), variable("HOME"));
  return options;
}

}  // namespace strobe::cli
