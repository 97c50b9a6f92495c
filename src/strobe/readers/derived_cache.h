#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/base/file.h"
#include "strobe/readers/cache_folder.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::readers {

// Something small that is made from a trace, kept in the cache's folder `name` until the trace's
// file changes. `maker` stands for how it is made: with another one it is not found.
class DerivedCache {
 public:
  DerivedCache(const std::filesystem::path& trace, std::string_view name, std::uint64_t maker,
               const CacheOptions& cache);

  std::optional<std::string> find() const;
  // Does nothing if the file has changed since the constructor, or may change unnoticed.
  Result<void> keep(std::string_view bytes) const;
  // Removes what was not used for the longest time until the rest of `name` fits.
  void sweep(std::uint64_t limit_bytes) const;

 private:
  std::filesystem::path trace_;
  std::filesystem::path folder_;  // empty: there is no cache, or nothing to keep by
  FileStamp stamp_;
  CacheFolder::Key key_;
};

}  // namespace strobe::readers
