#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "strobe/base/result.h"

namespace strobe {

// A whole file as memory, read only. Whoever replaces such a file renames a new one over it: a file
// cut short while it is mapped ends the process that reads it.
class MappedFile {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const char> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const char> bytes) : bytes_(bytes) {}

  std::span<const char> bytes_;
};

}  // namespace strobe
