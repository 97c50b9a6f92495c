#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/talk.h"
#include "strobe/readers/trace_cache.h"

// How verbs load traces.
namespace strobe::cli {

struct LoadChoice {
  unsigned threads = 0;        // 0: one per core
  std::optional<bool> cached;  // set by a flag
  std::string cache_folder;    // "": the default one
};

// --threads, --cache, --cache-dir.
std::vector<Flag> load_flags(LoadChoice& choice);

// From the flags and the environment. An explicit --cache applies to files of any length.
readers::CacheOptions cache_options(const LoadChoice& choice);

// Ctrl-C interrupts the loading, and `progress`, which must outlive it, shows it.
readers::LoadOptions load_options(Progress& progress, unsigned threads = 0);

}  // namespace strobe::cli
