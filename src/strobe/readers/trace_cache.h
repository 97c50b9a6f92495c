#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {

struct CacheOptions {
  std::filesystem::path folder;  // empty: no cache
  std::uint64_t limit_bytes = std::uint64_t{4} << 30;
  std::uint64_t least_file_bytes = 8 << 20;  // shorter files load without a noticeable delay
};

// Where traces are kept unless someone says otherwise: from the values of XDG_CACHE_HOME and HOME;
// empty if neither is usable.
std::filesystem::path default_cache_folder(std::string_view xdg_cache_home, std::string_view home);
// From those of this process.
std::filesystem::path default_cache_folder();

// Like read_trace(), from the cache if this build of strobe stored the file's content there with
// the same keep_args. A damaged, missing or unreadable cache is ignored: the file is read. So is
// what strobe recorded, which opens as quickly as a cache.
Result<LoadedTrace> read_trace_cached(const std::filesystem::path& path, const LoadOptions& options,
                                      const CacheOptions& cache);

// Puts a trace that read_trace_cached() had to read into the cache; does nothing for others. Call
// it after the answer is written, from any thread. An error deserves a note, not a failure.
Result<void> store_trace(const LoadedTrace& loaded, const CacheOptions& cache);

}  // namespace strobe::readers
