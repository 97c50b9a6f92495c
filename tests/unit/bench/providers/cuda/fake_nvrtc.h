#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

// A toolkit whose NVRTC has only the right name: another library of this machine, found before any
// other during its lifetime.
namespace strobe::bench {

class FakeNvrtc {
 public:
  explicit FakeNvrtc(const std::string& version) {
    const std::filesystem::path lib = folder_ / "lib64";
    std::filesystem::create_directories(lib);
    std::filesystem::copy_file("/proc/self/exe", library());
    strobe::testing::put_bytes(lib / ("libnvrtc-builtins.so." + version), "");
    if (const char* value = std::getenv("LD_LIBRARY_PATH"); value != nullptr) before_ = value;
    setenv("LD_LIBRARY_PATH", lib.c_str(), 1);
  }
  ~FakeNvrtc() {
    if (before_.empty()) {
      unsetenv("LD_LIBRARY_PATH");
    } else {
      setenv("LD_LIBRARY_PATH", before_.c_str(), 1);
    }
  }
  FakeNvrtc(const FakeNvrtc&) = delete;
  FakeNvrtc& operator=(const FakeNvrtc&) = delete;

  std::filesystem::path library() const { return folder_ / "lib64/libnvrtc.so.13"; }

 private:
  strobe::testing::TemporaryFolder folder_;
  std::string before_;
};

}  // namespace strobe::bench
