#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <fstream>

namespace strobe::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "strobe-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(std::string_view name, std::string_view content) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

fs::path TemporaryFolder::write_old(std::string_view name, std::string_view content) const {
  const fs::path file = write(name, content);
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  return file;
}

}  // namespace strobe::test
