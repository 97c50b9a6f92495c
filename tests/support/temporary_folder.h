#pragma once

#include <filesystem>
#include <string_view>

namespace strobe::test {

// A folder of its own for a test, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file below it, folders included.
  std::filesystem::path write(std::string_view name, std::string_view content) const;
  // The same, last changed long ago.
  std::filesystem::path write_old(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace strobe::test
