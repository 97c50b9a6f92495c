#include "strobe/bench/workers/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/workers/protocol.h"

namespace strobe::bench {
namespace {

// Both ends of a pipe, closed by the destructor.
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

// dup2 clears close-on-exec, except if both descriptors are already the same.
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
  std::signal(SIGPIPE, SIG_DFL);  // strobe ignores it, which the child would inherit
  put_at(in, STDIN_FILENO);
  put_at(out, STDOUT_FILENO);
  put_at(err, STDERR_FILENO);
  execvpe(arguments[0], arguments.data(), environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(report, &error, sizeof error);
  _exit(127);
}

using std::chrono::milliseconds;

constexpr std::size_t kErrorBytes = 4096;
constexpr std::size_t kShownErrorLines = 3;
constexpr std::size_t kNoiseLines = 20;
constexpr std::size_t kNoiseBytes = 200;
constexpr std::size_t kLongestLine = 256u << 20;
constexpr milliseconds kFarewell{300};  // for the driver to free its memory
constexpr milliseconds kReaping{2000};  // a process inside the driver may not die at once
constexpr milliseconds kGlance{100};    // how often cancellation is checked

// A write to a dead worker must return an error, not end this process.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    const timespec now = {};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_ = {};
  sigset_t before_ = {};
  bool was_pending_ = false;
};

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && *flag; }

int wait_ms(WorkerProcess::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - WorkerProcess::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kGlance.count()));
}

void close_it(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

// True if it has ended in time.
bool wait_for(pid_t id, int& status, milliseconds patience) {
  const auto deadline = WorkerProcess::Clock::now() + patience;
  while (true) {
    const pid_t got = waitpid(id, &status, WNOHANG);
    if (got == id || (got < 0 && errno != EINTR)) return true;
    if (WorkerProcess::Clock::now() >= deadline) return false;
    usleep(500);
  }
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
  setpgid(child, child);  // here too: parent and child race
  report.close_write_end();
  // The pipe closes by itself if exec succeeds.
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
  // sigabbrev_np is newer than the oldest C library we support.
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

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::vector<std::string>& command,
                                                            const Variables& variables) {
  STROBE_TRY(const Spawned spawned, spawn(command, variables));
  fcntl(spawned.err, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(spawned.id, spawned.in, spawned.out, spawned.err));
}

WorkerProcess::~WorkerProcess() { stop(); }

void WorkerProcess::stop() {
  if (id_ > 0) {
    send(to_line(WorkerRequest{.op = WorkerOp::kBye}), Clock::now(), nullptr);
    close_it(in_);
    close_it(out_);
    close_it(err_);
    int status = 0;
    if (!wait_for(id_, status, kFarewell)) {
      kill(-id_, SIGKILL);
      wait_for(id_, status, kReaping);
    }
    kill(-id_, SIGKILL);  // other processes of its group
    id_ = -1;
  }
  close_it(in_);
  close_it(out_);
  close_it(err_);
}

bool WorkerProcess::send(std::string line, Clock::time_point deadline,
                         const std::atomic<bool>* cancelled) {
  line += '\n';
  const WithoutPipeSignal quiet;
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = write(in_, left.data(), left.size());
    if (written > 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // It may be writing before it reads.
      std::array<pollfd, 2> files = {{{in_, POLLOUT, 0}, {err_, POLLIN, 0}}};
      poll(files.data(), files.size(), wait_ms(deadline));
      if ((files[1].revents & POLLIN) != 0) drain_errors();
      if (Clock::now() >= deadline || is_set(cancelled)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// False at the end.
bool WorkerProcess::drain_errors() {
  std::array<char, 4096> buffer;
  while (err_ >= 0) {
    const ssize_t got = read(err_, buffer.data(), buffer.size());
    if (got > 0) {
      errors_.append(buffer.data(), static_cast<std::size_t>(got));
      if (errors_.size() > 2 * kErrorBytes) errors_.erase(0, errors_.size() - kErrorBytes);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return true;
    } else {
      close_it(err_);
    }
  }
  return false;
}

WorkerProcess::Waited WorkerProcess::next_line(std::string& line, Clock::time_point deadline,
                                               const std::atomic<bool>* cancelled) {
  std::size_t searched = 0;
  while (true) {
    if (const std::size_t end = unread_.find('\n', searched); end != std::string::npos) {
      line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return Waited::kLine;
    }
    searched = unread_.size();
    if (searched > kLongestLine) return Waited::kTooLong;
    if (is_set(cancelled)) return Waited::kCancelled;
    if (Clock::now() >= deadline) return Waited::kDeadline;
    std::array<pollfd, 2> files = {{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (poll(files.data(), files.size(), wait_ms(deadline)) < 0) continue;
    if (files[1].revents != 0) drain_errors();
    if (files[0].revents == 0) continue;
    std::array<char, 65536> buffer;
    const ssize_t got = read(out_, buffer.data(), buffer.size());
    if (got > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return Waited::kEnd;
    }
  }
}

void WorkerProcess::keep_noise(std::string line) {
  ++noise_lines_;
  if (noise_.size() < kNoiseLines) noise_.push_back(line.substr(0, kNoiseBytes));
}

std::vector<std::string> WorkerProcess::take_noise() {
  std::vector<std::string> lines(noise_.begin(), noise_.end());
  noise_.clear();
  return lines;
}

// The last lines of its stderr, joined into one.
std::string WorkerProcess::last_output() const {
  std::vector<std::string_view> lines;
  std::string_view left = errors_;
  while (!left.empty() && lines.size() < kShownErrorLines) {
    const std::size_t end = left.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) break;
    left = left.substr(0, end + 1);
    const std::size_t begin = left.rfind('\n');
    lines.insert(lines.begin(), begin == std::string_view::npos ? left : left.substr(begin + 1));
    left = begin == std::string_view::npos ? std::string_view{} : left.substr(0, begin);
  }
  return fmt::format("{}", fmt::join(lines, " | "));
}

std::string WorkerProcess::end_of_it(bool is_killed_by_us) {
  int status = 0;
  if (is_killed_by_us) kill(-id_, SIGKILL);
  if (!wait_for(id_, status, is_killed_by_us ? kReaping : kFarewell)) {
    kill(-id_, SIGKILL);
    wait_for(id_, status, kReaping);
    is_killed_by_us = true;
  }
  kill(-id_, SIGKILL);
  id_ = -1;
  drain_errors();
  close_it(in_);
  close_it(out_);
  std::string text;
  if (is_killed_by_us) {
    text = "was killed";
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    text = "was ended by SIGKILL, as the system does when memory runs out";
  } else if (WIFSIGNALED(status)) {
    text = fmt::format("was ended by {}", signal_name(WTERMSIG(status)));
  } else {
    text = fmt::format("ended with exit code {}", WEXITSTATUS(status));
  }
  if (const std::string output = last_output(); !output.empty()) {
    text += fmt::format("; its last output: {}", output);
  }
  return text;
}

WorkerReply WorkerProcess::ended(const WorkerRequest& request, Waited waited, milliseconds limit) {
  WorkerReply reply{.id = request.id, .status = CellStatus::kError};
  const std::string noise =
      noise_lines_ == 0
          ? ""
          : fmt::format("; it wrote {} that {} not a reply, the first: '{}'",
                        noise_lines_ == 1 ? "a line" : fmt::format("{} lines", noise_lines_),
                        noise_lines_ == 1 ? "is" : "are", noise_.empty() ? "" : noise_.front());
  const std::string_view op = op_name(request.op);
  switch (waited) {
    case Waited::kDeadline:
      reply.status = CellStatus::kTimeout;
      reply.reason = fmt::format("no answer to '{}' within {:g} s; the worker {}{}", op,
                                 static_cast<double>(limit.count()) / 1e3, end_of_it(true), noise);
      break;
    case Waited::kCancelled:
      reply.status = CellStatus::kMissing;
      end_of_it(true);
      reply.reason = "interrupted";
      break;
    case Waited::kTooLong:
      reply.reason =
          fmt::format("the answer to '{}' has no end; the worker {}", op, end_of_it(true));
      break;
    case Waited::kEnd:
    case Waited::kLine:
      reply.reason =
          fmt::format("the worker {} during the request '{}'{}", end_of_it(false), op, noise);
  }
  return reply;
}

void WorkerProcess::tell(const WorkerRequest& request) {
  if (is_alive()) send(to_line(request), Clock::now(), nullptr);
}

WorkerReply WorkerProcess::hear(const WorkerRequest& request, milliseconds limit,
                                const std::atomic<bool>* cancelled) {
  if (!is_alive()) {
    return {.id = request.id, .status = CellStatus::kError, .reason = "the worker has ended"};
  }
  return await(request, Clock::now() + limit, limit, cancelled);
}

WorkerReply WorkerProcess::ask(const WorkerRequest& request, milliseconds limit,
                               const std::atomic<bool>* cancelled) {
  if (!is_alive()) {
    return {.id = request.id, .status = CellStatus::kError, .reason = "the worker has ended"};
  }
  const auto deadline = Clock::now() + limit;
  if (!send(to_line(request), deadline, cancelled)) {
    const Waited why = is_set(cancelled)          ? Waited::kCancelled
                       : Clock::now() >= deadline ? Waited::kDeadline
                                                  : Waited::kEnd;
    return ended(request, why, limit);
  }
  return await(request, deadline, limit, cancelled);
}

WorkerReply WorkerProcess::await(const WorkerRequest& request, Clock::time_point deadline,
                                 milliseconds limit, const std::atomic<bool>* cancelled) {
  while (true) {
    std::string line;
    const Waited waited = next_line(line, deadline, cancelled);
    if (waited != Waited::kLine) return ended(request, waited, limit);
    Result<WorkerReply> reply = parse_reply(line);
    // A reply to a request that has timed out is skipped.
    if (reply && (request.op == WorkerOp::kHello || reply->id == request.id)) {
      return std::move(reply).value();
    }
    if (!line.empty()) keep_noise(std::move(line));
  }
}

}  // namespace strobe::bench
