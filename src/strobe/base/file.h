#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "strobe/base/result.h"

namespace strobe {

// An open file, closed by its destructor. Pipes and devices work too: they have no size and can
// only be read from front to back.
class File {
 public:
  static Result<File> open(const std::string& path);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& path() const { return path_; }
  bool is_seekable() const { return is_seekable_; }
  std::uint64_t size_bytes() const { return size_bytes_; }  // 0 unless seekable

  // Fills `out`; fewer bytes mean the end of the file. Safe from several threads. Seekable files
  // only.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> out) const;

  // The same from where the last read() ended.
  Result<std::size_t> read(std::span<char> out);

 private:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_ = -1;
  bool is_seekable_ = false;
  std::uint64_t size_bytes_ = 0;
  std::string path_;
};

// A whole file mapped as read-only memory. To replace such a file, rename a new one over it: if a
// mapped file is truncated, the process that reads it crashes.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const char> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const char> bytes) : bytes_(bytes) {}

  std::span<const char> bytes_;
};

// File-system attributes of a regular file. Equal stamps mean equal content, if the stamp had
// settled when it was taken.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of the inode: no program can set it back

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Nothing if there is no regular file. Links are followed.
std::optional<FileStamp> stamp_of(const std::string& path);

// File systems count time in ticks of up to two seconds.
inline constexpr std::int64_t kLongestTickNs = 2'000'000'000;

// False while the file is so new that another write may leave the same times. Git calls such an
// entry racily clean.
bool has_settled(const FileStamp& stamp, std::int64_t now_ns);

std::int64_t wall_clock_ns();

// Prefixes the place of an error with its file: "byte 17" becomes "run.json, byte 17". An error
// that already names the file is unchanged.
inline Error in_file(Error error, const std::string& path) {
  if (error.where.empty()) {
    error.where = path;
  } else if (error.where != path && !error.where.starts_with(path + ", ")) {
    error.where = path + ", " + error.where;
  }
  return error;
}
template <class T>
Result<T> in_file(Result<T> result, const std::string& path) {
  if (!result) return in_file(std::move(result).error(), path);
  return result;
}

}  // namespace strobe
