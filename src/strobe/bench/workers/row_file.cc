#include "strobe/bench/workers/row_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/file.h"

namespace strobe::bench {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written in memory order");

// The values of the largest check, 2^24, times two.
constexpr double kRoomBytes = 128.0 * (1 << 20);

Error cannot_write(const std::string& path, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = fmt::format("cannot write values for the check: {}",
                              error == ENOSPC ? "the disk is full" : std::strerror(error)),
          .where = path,
          .hint = "TMPDIR names another folder"};
}

bool has_room(const char* folder) {
  struct statvfs facts {};
  return access(folder, W_OK) == 0 && statvfs(folder, &facts) == 0 &&
         static_cast<double>(facts.f_bavail) * static_cast<double>(facts.f_frsize) > kRoomBytes;
}

}  // namespace

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> write_row_file(const std::string& path, std::span<const float> values) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(path, errno);
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  int error = write_all(file, bytes) ? 0 : errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error != 0) return cannot_write(path, error);
  return {};
}

Result<std::vector<float>> read_row_file(const std::string& path, std::size_t count) {
  STROBE_TRY(const File file, File::open(path));
  if (file.size_bytes() != count * sizeof(float)) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("the worker gave {} bytes of values, not {}",
                                     file.size_bytes(), count * sizeof(float)),
                 .where = "",
                 .hint = ""};
  }
  std::vector<float> values(count);
  const std::span<char> bytes(reinterpret_cast<char*>(values.data()), count * sizeof(float));
  STROBE_TRY([[maybe_unused]] const std::size_t got, file.read_at(0, bytes));
  return values;
}

Result<RowFolder> RowFolder::make() {
  const char* const chosen = std::getenv("TMPDIR");
  std::string path = chosen != nullptr && *chosen != '\0' ? chosen
                     : has_room("/dev/shm")               ? "/dev/shm"
                                                          : "/tmp";
  path += "/strobe-bench-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return cannot_write(path, errno);
  return RowFolder(path);
}

RowFolder::RowFolder(RowFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

RowFolder::~RowFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace strobe::bench
