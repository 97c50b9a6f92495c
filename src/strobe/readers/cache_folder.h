#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "strobe/base/file.h"
#include "strobe/base/hash.h"
#include "strobe/base/result.h"

namespace strobe::readers {

// The folder of the trace cache: trace files by key, and what content a file had when it was last
// seen. Everything appears by renaming, so any number of processes may share it; everything may
// vanish at any time.
class CacheFolder {
 public:
  // What a cached trace is found by: the content it was read from and how.
  struct Key {
    std::uint64_t file_bytes = 0;
    ContentHash hash;
  };

  // Nothing if it does not exist or others could have written to it.
  static std::optional<CacheFolder> open(const std::filesystem::path& path);
  static Result<CacheFolder> create(const std::filesystem::path& path);

  std::filesystem::path path_of(const Key& key) const;
  // Whether any cached trace was read from a file of this length. If not, there is no point in
  // hashing one.
  bool knows_length(std::uint64_t file_bytes) const;
  void mark_used(const Key& key) const;
  // `write` is given a name that nobody uses.
  Result<void> add(const Key& key,
                   const std::function<Result<void>(const std::filesystem::path&)>& write) const;

  std::optional<ContentHash> content_of(const FileStamp& stamp) const;
  Result<void> remember(const FileStamp& stamp, const ContentHash& content) const;

  // Removes the traces used longest ago until the rest fits, and what unfinished writers left.
  void sweep(std::uint64_t limit_bytes) const;

 private:
  explicit CacheFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path seen_path_of(const FileStamp& stamp) const;
  Result<void> place(const std::filesystem::path& name,
                     const std::function<Result<void>(const std::filesystem::path&)>& write) const;

  std::filesystem::path path_;
};

}  // namespace strobe::readers
