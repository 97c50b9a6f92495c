#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace strobe::test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// The build sets the options of the sanitizers, whatever else a test removes from the environment.
std::vector<std::string> with_sanitizers(std::vector<std::string> environment) {
  for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

// False once the other end is closed.
bool drain(int descriptor, std::string& text) {
  char buffer[1 << 16];
  const ssize_t count = read(descriptor, buffer, sizeof buffer);
  if (count <= 0) return false;
  text.append(buffer, static_cast<std::size_t>(count));
  return true;
}

}  // namespace

RunningProcess::RunningProcess(const ProcessRequest& request) : request_(request) {
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) std::abort();
  std::vector<char*> command = pointers(request_.command);
  std::vector<std::string> variables = with_sanitizers(request_.environment);
  std::vector<char*> environment = pointers(variables);
  id_ = fork();
  if (id_ == 0) {
    const int in = open(request_.stdin_path.c_str(), O_RDONLY);
    if (in < 0 || chdir(request_.folder.c_str()) != 0) _exit(127);
    dup2(in, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    // Shells make background processes ignore these signals, and tests may run in the background.
    for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) std::signal(signal, SIG_DFL);
    execve(command[0], command.data(), environment.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

std::string RunningProcess::first_line() {
  const Clock::time_point deadline = Clock::now() + request_.patience;
  while (out_so_far_.find('\n') == std::string::npos) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd end{out_, POLLIN, 0};
    if (left.count() <= 0 || poll(&end, 1, static_cast<int>(left.count())) <= 0) return "";
    if (!drain(out_, out_so_far_)) return "";
  }
  return out_so_far_.substr(0, out_so_far_.find('\n'));
}

ProcessOutcome RunningProcess::wait() {
  ProcessOutcome outcome;
  outcome.out = out_so_far_;
  const Clock::time_point deadline = Clock::now() + request_.patience;
  bool out_open = true;
  bool err_open = true;
  while (out_open || err_open) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ends[2] = {{out_open ? out_ : -1, POLLIN, 0}, {err_open ? err_ : -1, POLLIN, 0}};
    if (left.count() <= 0 || poll(ends, 2, static_cast<int>(left.count())) <= 0) {
      outcome.timed_out = true;
      kill(id_, SIGKILL);
      break;
    }
    if (ends[0].revents != 0) out_open = drain(out_, outcome.out);
    if (ends[1].revents != 0) err_open = drain(err_, outcome.err);
  }
  close(out_);
  close(err_);
  int status = 0;
  rusage usage{};
  wait4(id_, &status, 0, &usage);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.peak_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

ProcessOutcome run_process(const ProcessRequest& request) { return RunningProcess(request).wait(); }

}  // namespace strobe::test
