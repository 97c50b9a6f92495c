#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "tests/support/temporary_folder.h"

namespace strobe::test {

// A folder of traces for one test, gone with it.
class LogFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  // Writes a file below it, folders included.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    testing::put_bytes(file, content);
    return file;
  }
  // The same, last changed long ago.
  std::filesystem::path write_old(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = write(name, content);
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(file, now - std::chrono::hours(1));
    return file;
  }

 private:
  testing::TemporaryFolder folder_;
};

}  // namespace strobe::test
