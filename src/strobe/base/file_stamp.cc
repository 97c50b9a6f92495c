#include "strobe/base/file_stamp.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>

namespace strobe {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_dev),
                   static_cast<std::uint64_t>(status.st_ino),
                   static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
                   nanoseconds(status.st_ctim)};
}

bool has_settled(const FileStamp& stamp, std::int64_t now_ns) {
  constexpr std::int64_t kLongestTick_ns = 2'000'000'000;
  return std::max(stamp.modified_ns, stamp.changed_ns) < now_ns - kLongestTick_ns;
}

std::int64_t wall_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

}  // namespace strobe
