#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace strobe::test {

struct ProcessRequest {
  std::vector<std::string> command;  // the program's path first
  std::string folder;                // where it runs
  std::vector<std::string> environment;
  std::string stdin_path = "/dev/null";
  // It is killed after this time; under a sanitizer on a busy machine, seconds become minutes.
  std::chrono::seconds patience{240};
};

struct ProcessOutcome {
  std::string out;
  std::string err;
  int exit_code = 0;  // 128 + signal if it was killed
  bool timed_out = false;
  std::int64_t peak_bytes = 0;  // resident
};

ProcessOutcome run_process(const ProcessRequest& request);

// For tests that act on the process while it runs: start, act, then wait.
class RunningProcess {
 public:
  explicit RunningProcess(const ProcessRequest& request);
  pid_t id() const { return id_; }
  // The first line of stdout, without its end; "" if none comes in time.
  std::string first_line();
  ProcessOutcome wait();

 private:
  ProcessRequest request_;
  pid_t id_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string out_so_far_;
};

}  // namespace strobe::test
