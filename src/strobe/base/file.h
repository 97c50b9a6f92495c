#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "strobe/base/result.h"

namespace strobe {

// An open file, closed when it goes. Pipes and devices work too: they have no size and are read
// front to back only.
class File {
 public:
  static Result<File> open(const std::filesystem::path& path);

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

}  // namespace strobe
