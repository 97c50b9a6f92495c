#pragma once

#include <cstdint>
#include <filesystem>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {

struct CacheOptions {
  std::filesystem::path folder;  // empty: no cache
  std::uint64_t limit_bytes = std::uint64_t{4} << 30;
  std::uint64_t least_file_bytes = 8 << 20;  // shorter files are read as fast as a person can see
};

// As read_trace(), from the cache if the file's content was stored there by this build of strobe
// with the same keep_args. A cache that is damaged, missing or unreadable is none: the file is
// read.
Result<LoadedTrace> read_trace_cached(const std::filesystem::path& path, const LoadOptions& options,
                                      const CacheOptions& cache);

// Puts a trace that read_trace_cached() had to read into the cache; of any other, nothing. To be
// called when the answer is given, from whatever thread. An error is worth a note, not a failure.
Result<void> store_trace(const LoadedTrace& loaded, const CacheOptions& cache);

}  // namespace strobe::readers
