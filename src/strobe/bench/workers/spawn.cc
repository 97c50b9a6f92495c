#include "strobe/bench/workers/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

// Both ends of a pipe, closed when it goes.
class Pipe {
 public:
  static Result<Pipe> make() {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      return Error{.code = ErrorCode::kMachineLacks,
                   .what = fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                   .where = "",
                   .hint = "`ulimit -n` says how many files a process may have open"};
    }
    return Pipe(ends);
  }
  Pipe(Pipe&& other) noexcept : ends_(std::exchange(other.ends_, {-1, -1})) {}
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  int take_read_end() { return std::exchange(ends_[0], -1); }
  int take_write_end() { return std::exchange(ends_[1], -1); }
  void close_write_end() { close(take_write_end()); }

 private:
  explicit Pipe(std::array<int, 2> ends) : ends_(ends) {}
  std::array<int, 2> ends_;
};

Error cannot_start(const std::string& program, int error) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("cannot start '{}': {}", program, std::strerror(error)),
          .where = "",
          .hint = "a worker is a program and its arguments, found as a shell would"};
}

// dup2 clears close-on-exec, except where both are the same already.
void put_at(int descriptor, int place) {
  if (descriptor == place) {
    fcntl(descriptor, F_SETFD, 0);
  } else {
    dup2(descriptor, place);
  }
}

[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         int in, int out, int err, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // strobe ignores it, and that would be inherited
  put_at(in, STDIN_FILENO);
  put_at(out, STDOUT_FILENO);
  put_at(err, STDERR_FILENO);
  execvpe(arguments[0], arguments.data(), environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &error, sizeof error);
  _exit(127);
}

}  // namespace

Result<Spawned> spawn(const std::vector<std::string>& command, const Variables& variables) {
  if (command.empty() || command[0].empty()) return cannot_start("", ENOENT);
  std::vector<std::string> words = command;
  std::vector<std::string> all_variables = environment_with(variables);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(all_variables);

  STROBE_TRY(Pipe in, Pipe::make());
  STROBE_TRY(Pipe out, Pipe::make());
  STROBE_TRY(Pipe err, Pipe::make());
  STROBE_TRY(Pipe report, Pipe::make());
  const pid_t child = fork();
  if (child < 0) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = fmt::format("cannot start a process: {}", std::strerror(errno)),
                 .where = "",
                 .hint = ""};
  }
  if (child == 0) {
    become(arguments, environment, in.read_end(), out.write_end(), err.write_end(),
           report.write_end());
  }
  setpgid(child, child);  // here too: whoever comes first
  report.close_write_end();
  // The pipe closes by itself where the child has become the program.
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report.read_end(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof error)) {
    waitpid(child, nullptr, 0);
    return cannot_start(command[0], error);
  }
  fcntl(in.write_end(), F_SETFL, O_NONBLOCK);
  return Spawned{child, in.take_write_end(), out.take_read_end(), err.take_read_end()};
}

std::string signal_name(int signal) {
  // sigabbrev_np is younger than the oldest C library we run with.
  constexpr std::array kNames = {
      std::pair{SIGSEGV, "SIGSEGV"}, std::pair{SIGABRT, "SIGABRT"}, std::pair{SIGBUS, "SIGBUS"},
      std::pair{SIGFPE, "SIGFPE"},   std::pair{SIGILL, "SIGILL"},   std::pair{SIGKILL, "SIGKILL"},
      std::pair{SIGTERM, "SIGTERM"}, std::pair{SIGINT, "SIGINT"},   std::pair{SIGPIPE, "SIGPIPE"},
      std::pair{SIGHUP, "SIGHUP"},   std::pair{SIGTRAP, "SIGTRAP"}, std::pair{SIGXCPU, "SIGXCPU"}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) return name;
  }
  return fmt::format("signal {}", signal);
}

}  // namespace strobe::bench
