#include "strobe/record/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/base/text.h"

namespace strobe::record {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array kTelling = {SIGUSR1, SIGUSR2};
constexpr std::array kErrorsOfWrite = {SIGXFSZ, SIGPIPE};

// What a signal handler may touch. NOLINTBEGIN: it has nothing else
std::atomic<pid_t> the_program = 0;
std::atomic<int> the_bell = -1;  // a pipe that wakes SignalRelay::wait
std::atomic<int> the_bell_rope = -1;
std::atomic<bool> is_end_wanted = false;
std::atomic<bool> gives_dumps = false;
std::atomic<bool> is_dump_wanted = false;
// NOLINTEND
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void ring() {
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(the_bell_rope, "", 1);
  errno = error;
}

// Signals from a terminal already reach the whole foreground group.
void pass_on(int signal, siginfo_t* info, void*) {
  if (const pid_t program = the_program; program > 0 && info->si_code <= 0) kill(program, signal);
  if (signal != SIGUSR1 && signal != SIGUSR2) is_end_wanted = true;
  ring();
}

void take_or_pass_on(int signal, siginfo_t* info, void* context) {
  if (!gives_dumps) {
    pass_on(signal, info, context);
    return;
  }
  is_dump_wanted = true;
  ring();
}

void notice(int, siginfo_t*, void*) { ring(); }

std::vector<int> handled_signals() {
  std::vector<int> signals(kEnding.begin(), kEnding.end());
  signals.insert(signals.end(), kTelling.begin(), kTelling.end());
  signals.push_back(SIGCHLD);
  return signals;
}

// Signals wait until the process exists to which they go.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : handled_signals()) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { let_go(); }
  void let_go() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

Error cannot_prepare(std::string_view what, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = fmt::format("{}: {}", what, std::strerror(error)),
          .where = "",
          .hint = ""};
}

ErrorCode start_code(int error) {
  if (error == ENOENT || error == ENOTDIR) return ErrorCode::kNotFound;
  return error == EACCES || error == EPERM ? ErrorCode::kMachineLacks : ErrorCode::kUnsupported;
}

std::string start_hint(const std::string& program, int error) {
  if (start_code(error) == ErrorCode::kMachineLacks) {
    return fmt::format("`chmod +x {}` if it is a program, or give its interpreter first", program);
  }
  if (program.find('/') != std::string::npos) return "check the path";
  return fmt::format("no folder of PATH has it: check the spelling, or give a path such as ./{}",
                     program);
}

Error start_error(const std::string& program, int error) {
  return {.code = start_code(error),
          .what = fmt::format("cannot start '{}': {}", program, std::strerror(error)),
          .where = "",
          .hint = start_hint(program, error)};
}

// Two pipes between strobe and a process that waits: one opens the gate, the other one reports why
// the program could not be started and closes by itself if it was.
struct StartPipes {
  int gate[2] = {-1, -1};
  int report[2] = {-1, -1};

  bool open() { return pipe2(gate, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0; }
  void close_all() const {
    for (const int end : {gate[0], gate[1], report[0], report[1]}) {
      if (end >= 0) close(end);
    }
  }
};

// Runs in the new process: only calls that are safe after fork.
[[noreturn]] void become(const StartPipes& pipes, char* const* arguments,
                         char* const* environment) {
  close(pipes.gate[1]);  // else it would never see that strobe has closed its own
  char open = 0;
  ssize_t got = 0;
  do {
    got = read(pipes.gate[0], &open, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);
  execvpe(arguments[0], arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(pipes.report[1], &error, sizeof error);
  _exit(127);
}

int error_in(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// 0 if it is a file that may be run.
int obstacle_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

int shell_code(const Ending& ending) {
  return ending.signal != 0 ? 128 + ending.signal : ending.exit_code;
}

Result<std::unique_ptr<SignalRelay>> SignalRelay::open(bool program_ignores_pipes) {
  STROBE_CHECK(the_bell < 0, "there is one relay at a time");
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return cannot_prepare("cannot make a pipe", errno);
  the_bell = ends[0];
  the_bell_rope = ends[1];
  the_program = 0;
  is_end_wanted = false;
  gives_dumps = false;
  is_dump_wanted = false;
  return std::unique_ptr<SignalRelay>(new SignalRelay(program_ignores_pipes));
}

SignalRelay::SignalRelay(bool program_ignores_pipes)
    : program_ignores_pipes_(program_ignores_pipes) {
  for (const int signal : kEnding) handle(signal, pass_on);
  handle(SIGUSR1, pass_on);
  handle(SIGUSR2, take_or_pass_on);
  handle(SIGCHLD, notice);
  for (const int signal : kErrorsOfWrite) handle(signal, nullptr);
}

void SignalRelay::handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  before_.push_back({signal, before});
  if (handler == pass_on && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
  action.sa_sigaction = handler;
  if (handler == nullptr) {
    action.sa_flags = 0;
    action.sa_handler = SIG_IGN;
  }
  sigaction(signal, &action, nullptr);
}

SignalRelay::~SignalRelay() {
  for (const Before& one : before_) sigaction(one.signal, &one.action, nullptr);
  close(the_bell.exchange(-1));
  close(the_bell_rope.exchange(-1));
  the_program = 0;
}

void SignalRelay::pass_on_to(pid_t program) const { the_program = program; }

void SignalRelay::wait(std::optional<std::chrono::milliseconds> most) const {
  pollfd bell = {the_bell, POLLIN, 0};
  if (poll(&bell, 1, most ? static_cast<int>(most->count()) : -1) <= 0) return;
  char rings[64];
  while (read(the_bell, rings, sizeof rings) == static_cast<ssize_t>(sizeof rings)) {
  }
}

bool SignalRelay::wants_end() const { return is_end_wanted; }

void SignalRelay::set_gives_dumps(bool does) const { gives_dumps = does; }

bool SignalRelay::take_dump_request() const { return is_dump_wanted.exchange(false); }

void SignalRelay::restore_in_child() const {
  for (const Before& one : before_) {
    const bool was_ignored = one.action.sa_handler == SIG_IGN;
    const bool stays_ignored = one.signal == SIGPIPE ? program_ignores_pipes_ : was_ignored;
    std::signal(one.signal, stays_ignored ? SIG_IGN : SIG_DFL);
  }
}

Result<ChildProcess> ChildProcess::prepare(const std::vector<std::string>& command,
                                           const Variables& variables, const SignalRelay& relay) {
  std::vector<std::string> words = command;
  std::vector<std::string> settings = environment_with(variables);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(settings);
  StartPipes pipes;
  if (!pipes.open()) {
    const int error = errno;
    pipes.close_all();
    return cannot_prepare("cannot make a pipe", error);
  }
  const HeldSignals held;
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    pipes.close_all();
    return cannot_prepare("cannot start a process", error);
  }
  if (child == 0) {
    relay.restore_in_child();
    held.let_go();
    become(pipes, arguments.data(), environment.data());
  }
  relay.pass_on_to(child);
  close(pipes.gate[0]);
  close(pipes.report[1]);
  return ChildProcess(command[0], child, pipes.gate[1], pipes.report[0], relay);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : program_(std::move(other.program_)),
      id_(std::exchange(other.id_, 0)),
      gate_(std::exchange(other.gate_, -1)),
      report_(std::exchange(other.report_, -1)),
      relay_(other.relay_),
      ending_(other.ending_) {}

ChildProcess::~ChildProcess() { give_up(); }

void ChildProcess::give_up() {
  const bool still_waits = gate_ >= 0 && id_ > 0;
  if (gate_ >= 0) close(std::exchange(gate_, -1));
  if (report_ >= 0) close(std::exchange(report_, -1));
  if (!still_waits) return;
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  relay_->pass_on_to(0);
}

Result<void> ChildProcess::begin() {
  [[maybe_unused]] const ssize_t ignored = write(gate_, "", 1);
  const int error = error_in(report_);
  close(std::exchange(report_, -1));
  if (error != 0) {
    give_up();
    id_ = 0;
    return start_error(program_, error);
  }
  close(std::exchange(gate_, -1));
  return {};
}

bool ChildProcess::has_ended() const {
  if (ending_ || id_ <= 0) return true;
  siginfo_t info = {};
  const int options = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(id_), &info, options) != 0 || info.si_pid == id_;
}

std::optional<Ending> ChildProcess::ending() {
  if (ending_ || id_ <= 0) return ending_;
  int status = 0;
  const pid_t ended = waitpid(id_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  relay_->pass_on_to(0);
  ending_ = Ending{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                   .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  return ending_;
}

Ending ChildProcess::wait(const SignalRelay& relay) {
  while (true) {
    if (const std::optional<Ending> ended = ending()) return *ended;
    relay.wait();
  }
}

bool adopt_orphans() { return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; }

void reap_adopted(const ChildProcess& except) {
  while (true) {
    siginfo_t info = {};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (info.si_pid == except.id()) return;
    waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

bool wait_for_adopted(const SignalRelay& relay, std::chrono::milliseconds most) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + most;
  while (true) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended > 0) continue;
    if (ended < 0) return true;  // there are no children
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    relay.wait(left);
  }
}

Result<void> check_program(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    const int error = obstacle_of(program);
    return error == 0 ? Result<void>() : start_error(program, error);
  }
  const char* path = std::getenv("PATH");
  int worst = ENOENT;
  for (const std::string_view folder : split(path != nullptr ? path : "/bin:/usr/bin", ':')) {
    const int error = obstacle_of(fmt::format("{}/{}", folder.empty() ? "." : folder, program));
    if (error == 0) return {};
    if (error == EACCES) worst = EACCES;
  }
  return start_error(program, worst);
}

}  // namespace strobe::record
