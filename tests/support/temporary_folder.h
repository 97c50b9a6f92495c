#pragma once

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace strobe::testing {

// An empty folder for one test, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "strobe-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void put_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

// During its lifetime this process cannot write a byte to any file, as on a full disk with small
// files.
class FullDisk {
 public:
  FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

}  // namespace strobe::testing

namespace strobe::test {

// A trace of one slice.
inline constexpr std::string_view kOneSlice =
    R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2, )"
    R"("pid": 1, "tid": 1}]})";

// A folder of traces for one test, removed by the destructor.
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
  // The same, with an old modification time.
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
