#include "strobe/cli/loading.h"

#include "strobe/cli/interrupt.h"

namespace strobe::cli {

std::vector<Flag> load_flags(LoadChoice& choice) {
  constexpr std::int64_t kMostThreads = 1024;
  Target threads = to_number(choice.threads, 1, kMostThreads);
  threads.preset = "one per core";
  return {flag("--threads N", "number of threads; every number gives the same answer",
               std::move(threads)),
          flag("--[no-]cache",
               "keep loaded traces in a cache, so that the same file opens faster next time "
               "(default: on for files over 8 MB)",
               to(choice.cached)),
          flag("--cache-dir DIR",
               "cache folder of up to 4 GiB (default: $XDG_CACHE_HOME/strobe or ~/.cache/strobe)",
               to(choice.cache_folder))};
}

readers::CacheOptions cache_options(const LoadChoice& choice) {
  readers::CacheOptions options;
  if (!choice.cached.value_or(true)) return options;
  if (choice.cached) options.least_file_bytes = 0;
  options.folder = choice.cache_folder.empty() ? readers::default_cache_folder()
                                               : std::filesystem::path(choice.cache_folder);
  return options;
}

readers::LoadOptions load_options(Progress& progress, unsigned threads) {
  readers::LoadOptions options;
  options.threads = threads;
  options.cancelled = &interrupted();
  options.progress = [&progress](const readers::LoadProgress& now) {
    progress.update(now.bytes_done, now.bytes_total);
  };
  return options;
}

}  // namespace strobe::cli
