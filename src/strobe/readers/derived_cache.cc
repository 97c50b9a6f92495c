#include "strobe/readers/derived_cache.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "strobe/base/hash.h"
#include "strobe/readers/fingerprint.h"

namespace strobe::readers {

namespace fs = std::filesystem;

DerivedCache::DerivedCache(const fs::path& trace, std::string_view name, std::uint64_t maker,
                           const CacheOptions& cache)
    : trace_(trace) {
  const std::int64_t now_ns = wall_clock_ns();
  const std::optional<FileStamp> stamp = stamp_of(trace.string());
  if (cache.folder.empty() || !stamp || !has_settled(*stamp, now_ns)) return;
  folder_ = cache.folder / name;
  stamp_ = *stamp;
  const std::uint64_t parts[] = {stamp->device,
                                 stamp->inode,
                                 stamp->bytes,
                                 static_cast<std::uint64_t>(stamp->modified_ns),
                                 static_cast<std::uint64_t>(stamp->changed_ns),
                                 kFingerprint,
                                 maker};
  ContentHasher hasher;
  hasher.add({reinterpret_cast<const char*>(parts), sizeof parts});
  key_ = {stamp->bytes, hasher.hash()};
}

std::optional<std::string> DerivedCache::find() const {
  const std::optional<CacheFolder> folder = CacheFolder::open(folder_);
  if (!folder) return std::nullopt;
  std::ifstream file(folder->path_of(key_), std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  folder->mark_used(key_);
  return bytes;
}

Result<void> DerivedCache::keep(std::string_view bytes) const {
  if (folder_.empty() || stamp_of(trace_.string()) != stamp_) return {};
  STROBE_TRY(const CacheFolder folder, CacheFolder::create(folder_));
  return folder.add(key_, [&](const fs::path& path) -> Result<void> {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) return {};
    std::error_code ignored;
    fs::remove(path, ignored);
    return Error{ErrorCode::kCannotWrite, "the cache is full", path.string(), ""};
  });
}

void DerivedCache::sweep(std::uint64_t limit_bytes) const {
  if (const auto folder = CacheFolder::open(folder_)) folder->sweep(limit_bytes);
}

}  // namespace strobe::readers
