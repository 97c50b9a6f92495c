#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace strobe {

// What the file system says of a regular file. Equal stamps mean equal content, if the stamp had
// settled when it was taken.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // the inode: nobody can set it back

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Nothing if there is no regular file. Links are followed.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// False while the file is so young that a further write may leave the same times: file systems
// count in ticks of up to two seconds. Git calls such an entry racily clean.
bool has_settled(const FileStamp& stamp, std::int64_t now_ns);

std::int64_t wall_clock_ns();

}  // namespace strobe
