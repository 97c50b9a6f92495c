#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>

#include "strobe/record/sampler/process_owners.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {

// A /proc whose processes the test invents.
class ProcessFolder {
 public:
  // `is_container`: its processes have numbers of their own.
  explicit ProcessFolder(bool is_container = false) {
    std::filesystem::create_directories(folder_.path() / "self" / "ns");
    std::filesystem::create_symlink(is_container ? "pid:[4026532441]" : "pid:[4026531836]",
                                    folder_.path() / "self" / "ns" / "pid");
  }

  void add(pid_t process, pid_t parent, const std::string& name) {
    const auto folder = folder_.path() / std::to_string(process);
    std::filesystem::create_directories(folder / "fd");
    testing::put_bytes(
        folder / "stat",
        fmt::format("{} ({}) S {} 1 1 0 -1 0 5 0 0 0 7 3 0 0 20 0 1 0 900 1000 50 "
                    "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 "
                    "0 0 0 0 0 0\n",
                    process, name, parent));
  }
  void remove(pid_t process) {
    std::filesystem::remove_all(folder_.path() / std::to_string(process));
  }
  void open_file(pid_t process, const std::string& target) {
    const auto folder = folder_.path() / std::to_string(process) / "fd";
    std::filesystem::create_symlink(target, folder / std::to_string(next_file_++));
  }
  // It runs, but is not shown here.
  void hide(pid_t process) { hidden_.insert(process); }

  ProcessAccess access() const {
    ProcessAccess access;
    access.proc = folder_.path().string();
    access.is_alive = [hidden = hidden_](pid_t process) { return hidden.contains(process); };
    return access;
  }

 private:
  testing::TemporaryFolder folder_;
  std::set<pid_t> hidden_;
  int next_file_ = 3;
};

}  // namespace strobe::record
