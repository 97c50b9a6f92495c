#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "strobe/base/file.h"
#include "strobe/base/hash.h"
#include "strobe/base/result.h"

namespace strobe::readers {

// The folder of the trace cache: trace files by key, and the content that each file had when it was
// last seen. Files appear by renaming, so any number of processes may share the folder; every file
// may vanish at any time.
class CacheFolder {
 public:
  // The key of a cached trace: the content it was read from and how.
  struct Key {
    std::uint64_t file_bytes = 0;
    ContentHash hash;
  };

  // Nothing if it does not exist or if other users could have written to it.
  static std::optional<CacheFolder> open(const std::filesystem::path& path);
  static Result<CacheFolder> create(const std::filesystem::path& path);

  std::filesystem::path path_of(const Key& key) const;
  // Whether any cached trace was read from a file of this length. If not, hashing a file is
  // pointless.
  bool knows_length(std::uint64_t file_bytes) const;
  void mark_used(const Key& key) const;
  // `write` gets an unused file name.
  Result<void> add(const Key& key,
                   const std::function<Result<void>(const std::filesystem::path&)>& write) const;

  std::optional<ContentHash> content_of(const FileStamp& stamp) const;
  Result<void> remember(const FileStamp& stamp, const ContentHash& content) const;

  // Removes the least recently used traces until the rest fits, and files of unfinished writers.
  void sweep(std::uint64_t limit_bytes) const;

 private:
  explicit CacheFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path seen_path_of(const FileStamp& stamp) const;
  Result<void> place(const std::filesystem::path& name,
                     const std::function<Result<void>(const std::filesystem::path&)>& write) const;

  std::filesystem::path path_;
};

}  // namespace strobe::readers
