#include "strobe/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace strobe {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kPackedSuffixes = {".gz", ".zst"};

// People type `run.json` when the profiler wrote `run.json.gz`, and the other way round.
std::string hint_for_missing(const fs::path& path) {
  std::error_code ignored;
  for (const std::string_view suffix : kPackedSuffixes) {
    fs::path packed = path;
    packed += suffix;
    if (fs::exists(packed, ignored)) return fmt::format("did you mean '{}'?", packed.string());
    if (path.extension() == suffix) {
      fs::path plain = path;
      plain.replace_extension();
      if (fs::exists(plain, ignored)) return fmt::format("did you mean '{}'?", plain.string());
    }
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::exists(folder, ignored)) {
    return fmt::format("the folder '{}' does not exist either", folder.string());
  }
  return fmt::format("check the spelling; `ls '{}'` shows what is there", folder.string());
}

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

Error opening_error(const fs::path& path, int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::kNotFound, "no such file", path.string(), hint_for_missing(path)};
    case EACCES:
    case EPERM:
      return {ErrorCode::kNotFound, "no permission to read it", path.string(),
              fmt::format("`ls -l '{}'` shows who may", path.string())};
    default:
      return {
          ErrorCode::kNotFound, "cannot be opened: " + reason_of(error_number), path.string(), {}};
  }
}

// Repeats a read() or pread() until `out` is full or the file ends.
template <class ReadSome>
Result<std::size_t> fill(std::span<char> out, const std::string& path, ReadSome read_some) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t bytes = read_some(out.data() + done, out.size() - done, done);
    if (bytes < 0) {
      if (errno == EINTR) continue;
      return Error{ErrorCode::kNotFound, "reading failed: " + reason_of(errno), path, {}};
    }
    if (bytes == 0) break;
    done += static_cast<std::size_t>(bytes);
  }
  return done;
}

}  // namespace

Result<File> File::open(const std::string& path) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return opening_error(path, errno);
  File file(descriptor, path);

  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return opening_error(path, errno);
  if (S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::kMalformed, "this is a directory, not a file", path,
                 "name a file in it"};
  }
  if (!S_ISREG(status.st_mode)) return file;

  file.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  file.is_seekable_ = file.size_bytes_ > 0;
  if (!file.is_seekable_) {
    // Files of /proc report a size of 0 and are read like pipes.
    char byte = 0;
    if (::pread(descriptor, &byte, 1, 0) <= 0) {
      return Error{ErrorCode::kMalformed, "the file is empty", path,
                   "the job may have been killed before it wrote the file"};
    }
  }
  return file;
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      is_seekable_(other.is_seekable_),
      size_bytes_(other.size_bytes_),
      path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(is_seekable_, other.is_seekable_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<char> out) const {
  STROBE_CHECK(is_seekable_, "pipes have no offsets");
  return fill(out, path_, [&](char* to, std::size_t bytes, std::size_t done) {
    return ::pread(descriptor_, to, bytes, static_cast<off_t>(offset + done));
  });
}

Result<std::size_t> File::read(std::span<char> out) {
  return fill(out, path_, [&](char* to, std::size_t bytes, std::size_t) {
    return ::read(descriptor_, to, bytes);
  });
}

namespace {

Error cannot_map(const std::string& path, int error_number) {
  return {ErrorCode::kNotFound,
          "cannot be mapped: " + std::generic_category().message(error_number),
          path,
          {}};
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_map(path, errno);
  struct stat status {};
  void* address = MAP_FAILED;
  int error_number = EINVAL;  // what mmap returns for an empty file
  if (::fstat(descriptor, &status) != 0) {
    error_number = errno;
  } else if (status.st_size > 0) {
    address = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                     descriptor, 0);
    error_number = errno;
  }
  ::close(descriptor);
  if (address == MAP_FAILED) return cannot_map(path, error_number);
  return std::shared_ptr<const MappedFile>(new MappedFile(
      {static_cast<const char*>(address), static_cast<std::size_t>(status.st_size)}));
}

MappedFile::~MappedFile() { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_dev),
                   static_cast<std::uint64_t>(status.st_ino),
                   static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
                   nanoseconds(status.st_ctim)};
}

bool has_settled(const FileStamp& stamp, std::int64_t now_ns) {
  return std::max(stamp.modified_ns, stamp.changed_ns) < now_ns - kLongestTickNs;
}

std::int64_t wall_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

}  // namespace strobe
