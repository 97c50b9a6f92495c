#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "strobe/base/result.h"

namespace strobe::record {

struct Sections {
  std::string bytes;  // of all processes, in the order in which they began
  std::size_t processes = 0;
};

// Where the processes of a recording leave their sections; gone with this.
class SectionFolder {
 public:
  static Result<SectionFolder> make();
  SectionFolder(SectionFolder&& other) noexcept;
  SectionFolder& operator=(SectionFolder&&) = delete;
  ~SectionFolder();

  const std::filesystem::path& path() const { return path_; }
  // Only what the headers vouch for: a process may still be writing, or have died in the middle.
  Result<Sections> collect() const;

 private:
  explicit SectionFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace strobe::record
