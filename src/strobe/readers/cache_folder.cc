#include "strobe/readers/cache_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceSuffix = ".trace";
constexpr std::string_view kSeenSuffix = ".seen";
constexpr std::string_view kUnfinishedSuffix = ".unfinished";
constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kHour_ns = 3'600 * kSecond_ns;
constexpr std::int64_t kMonth_ns = 30 * 24 * kHour_ns;

// The recorded content of a file, as the bytes of a .seen file.
struct SeenRecord {
  FileStamp stamp;
  ContentHash content;
  std::uint64_t checksum = 0;

  std::uint64_t expected_checksum() const {
    return checksum_of({reinterpret_cast<const char*>(this), offsetof(SeenRecord, checksum)}, 0);
  }
};
static_assert(sizeof(SeenRecord) == 64);

Error cannot_write(const fs::path& path, std::string what) {
  return {ErrorCode::kCannotWrite, std::move(what), path.string(), {}};
}

// The folder belongs to the user, and no other user may write to it.
bool is_private(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Result<void> write_small_file(const fs::path& path, std::span<const char> bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return cannot_write(path, std::generic_category().message(errno));
  const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
  int error_number = written < 0 ? errno : 0;
  // A file takes fewer bytes than it was given only where the disk ends.
  if (written >= 0 && written < static_cast<ssize_t>(bytes.size())) error_number = ENOSPC;
  if (::close(descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number == 0) return {};
  ::unlink(path.c_str());
  return cannot_write(path, std::generic_category().message(error_number));
}

struct CachedFile {
  fs::path path;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;
};

void discard(const fs::path& path) { ::unlink(path.c_str()); }

}  // namespace

std::optional<CacheFolder> CacheFolder::open(const fs::path& path) {
  if (path.empty() || !is_private(path)) return std::nullopt;
  return CacheFolder(path);
}

Result<CacheFolder> CacheFolder::create(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (!error && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    error.assign(errno, std::generic_category());
  }
  if (error) return cannot_write(path, "the cache folder cannot be created: " + error.message());
  if (!is_private(path)) return cannot_write(path, "other users can write to the cache folder");
  return CacheFolder(path);
}

fs::path CacheFolder::path_of(const Key& key) const {
  return path_ / fmt::format("{}-{}{}", key.file_bytes, hex_of(key.hash), kTraceSuffix);
}

bool CacheFolder::knows_length(std::uint64_t file_bytes) const {
  const std::string prefix = fmt::format("{}-", file_bytes);
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(kTraceSuffix)) return true;
  }
  return false;
}

void CacheFolder::mark_used(const Key& key) const {
  ::utimensat(AT_FDCWD, path_of(key).c_str(), nullptr, 0);
}

Result<void> CacheFolder::place(const fs::path& name,
                                const std::function<Result<void>(const fs::path&)>& write) const {
  std::random_device random;
  const fs::path unfinished =
      path_ / fmt::format("{}-{:08x}{:08x}{}", ::getpid(), random(), random(), kUnfinishedSuffix);
  STROBE_TRY_VOID(write(unfinished));
  if (::rename(unfinished.c_str(), name.c_str()) == 0) return {};
  const std::string reason = std::generic_category().message(errno);
  discard(unfinished);
  return cannot_write(name, reason);
}

Result<void> CacheFolder::add(const Key& key,
                              const std::function<Result<void>(const fs::path&)>& write) const {
  return place(path_of(key), write);
}

fs::path CacheFolder::seen_path_of(const FileStamp& stamp) const {
  return path_ / fmt::format("{:x}-{:x}{}", stamp.device, stamp.inode, kSeenSuffix);
}

std::optional<ContentHash> CacheFolder::content_of(const FileStamp& stamp) const {
  const int descriptor = ::open(seen_path_of(stamp).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  SeenRecord record;
  const ssize_t bytes = ::read(descriptor, &record, sizeof record);
  ::close(descriptor);
  if (bytes != ssize_t{sizeof record} || record.checksum != record.expected_checksum() ||
      record.stamp != stamp) {
    return std::nullopt;
  }
  return record.content;
}

Result<void> CacheFolder::remember(const FileStamp& stamp, const ContentHash& content) const {
  SeenRecord record{stamp, content, 0};
  record.checksum = record.expected_checksum();
  return place(seen_path_of(stamp), [&](const fs::path& path) {
    return write_small_file(path, {reinterpret_cast<const char*>(&record), sizeof record});
  });
}

void CacheFolder::sweep(std::uint64_t limit_bytes) const {
  const std::int64_t now_ns = wall_clock_ns();
  std::vector<CachedFile> traces;
  std::uint64_t total_bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::optional<FileStamp> stamp = stamp_of(path);
    if (!stamp) continue;
    const std::int64_t age_ns = now_ns - stamp->modified_ns;
    if (path.extension() == kTraceSuffix) {
      traces.push_back({path, stamp->bytes, stamp->modified_ns});
      total_bytes += stamp->bytes;
    } else if ((path.extension() == kUnfinishedSuffix && age_ns > kHour_ns) ||
               (path.extension() == kSeenSuffix && age_ns > kMonth_ns)) {
      discard(path);
    }
  }
  std::sort(traces.begin(), traces.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.used_ns < b.used_ns; });
  for (const CachedFile& trace : traces) {
    if (total_bytes <= limit_bytes) break;
    discard(trace.path);
    total_bytes -= trace.bytes;
  }
}

}  // namespace strobe::readers
