#include "strobe/base/apart.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace strobe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{20};
// Address space is also reserved for stacks and allocators, and not used.
constexpr std::int64_t kReservedBytes = std::int64_t{4} << 30;
constexpr int kPoliteness = 5;  // added to the nice value: other answers come first
constexpr char kIsAnswer = 'a';
constexpr char kIsError = 'e';

// What the copy sends: a letter, then the answer or the parts of an error, each behind its length.
void append_part(std::string_view part, std::string& message) {
  const std::uint64_t bytes = part.size();
  message.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  message += part;
}

std::optional<std::string> take_part(std::string_view& message) {
  std::uint64_t bytes = 0;
  if (message.size() < sizeof bytes) return std::nullopt;
  std::memcpy(&bytes, message.data(), sizeof bytes);
  message.remove_prefix(sizeof bytes);
  if (message.size() < bytes) return std::nullopt;
  std::string part(message.substr(0, bytes));
  message.remove_prefix(bytes);
  return part;
}

std::string message_of(const Result<std::string>& answer) {
  std::string message;
  if (answer) {
    message += kIsAnswer;
    append_part(*answer, message);
    return message;
  }
  const Error& error = answer.error();
  message += kIsError;
  append_part(std::to_string(static_cast<int>(error.code)), message);
  append_part(error.what, message);
  append_part(error.where, message);
  append_part(error.hint, message);
  return message;
}

std::optional<Result<std::string>> read_message(std::string_view message) {
  if (message.empty()) return std::nullopt;
  const char kind = message.front();
  message.remove_prefix(1);
  auto first = take_part(message);
  if (!first) return std::nullopt;
  if (kind == kIsAnswer) return Result<std::string>(std::move(*first));
  auto what = take_part(message);
  auto where = take_part(message);
  auto hint = take_part(message);
  if (!what || !where || !hint) return std::nullopt;
  return Result<std::string>(Error{static_cast<ErrorCode>(std::stoi(*first)), std::move(*what),
                                   std::move(*where), std::move(*hint)});
}

Error out_of_memory() {
  return {ErrorCode::kOutOfMemory, "it needs more memory than it may use", "", ""};
}

void limit(int resource, std::uint64_t most) {
  rlimit now{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, most);
  setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &now);
}

struct MappedBytes {
  std::uint64_t all = 0;
  std::uint64_t data = 0;
};

MappedBytes mapped_bytes() {
  std::array<char, 256> text{};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t bytes = read(file, text.data(), text.size() - 1);
  close(file);
  unsigned long long all = 0;
  unsigned long long data = 0;
  if (bytes <= 0 ||
      std::sscanf(text.data(), "%llu %*u %*u %*u %*u %llu", &all, &data) != 2) {  // NOLINT
    return {};
  }
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {all * page, data * page};
}

void write_all(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(pipe, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What a library prints does not get into the answers of this process.
void be_mute(int pipe) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) {
    // The pipe has the number of a stream if this process was started without it.
    if (nothing >= 0 && stream != pipe) dup2(nothing, stream);
  }
}

void leave_everything_but(int pipe) {
  const auto kept = static_cast<unsigned>(pipe);
  if (kept > 3) close_range(3, kept - 1, 0);
  close_range(kept + 1, ~0u, 0);
}

[[noreturn]] void be_the_copy(const std::function<Result<std::string>()>& work,
                              const ApartLimits& limits, pid_t parent, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM}) {
    std::signal(signal, signal == SIGINT ? SIG_IGN : SIG_DFL);  // Ctrl-C is for the parent
  }
  be_mute(pipe);
  leave_everything_but(pipe);
  setpriority(PRIO_PROCESS, 0, kPoliteness);
  mallopt(M_ARENA_MAX, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  const auto memory = static_cast<std::uint64_t>(limits.memory_bytes);
  const MappedBytes mapped = mapped_bytes();
  if (mapped.all != 0) {
    limit(RLIMIT_DATA, mapped.data + memory);
    limit(RLIMIT_AS, mapped.all + memory + kReservedBytes);
  }
  Result<std::string> answer = [&]() -> Result<std::string> {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return out_of_memory();
    } catch (const std::exception& error) {
      return Error{ErrorCode::kUnsupported, error.what(), "", ""};
    }
  }();
  if (answer && answer->size() > limits.answer_bytes) {
    answer =
        Error{ErrorCode::kUnsupported,
              fmt::format("the answer is longer than {} MiB", limits.answer_bytes >> 20), "", ""};
  }
  write_all(pipe, message_of(answer));
  _exit(0);
}

// Reads what the copy sends until it ends. Nothing if that was enough; else why it must end now.
std::optional<Error> listen_to(int pipe, const ApartLimits& limits, std::string& message) {
  const Clock::time_point end = Clock::now() + limits.timeout;
  std::array<char, 1 << 16> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  while (true) {
    if (limits.is_abandoned && limits.is_abandoned()) {
      return Error{ErrorCode::kInterrupted, "nobody waits for the answer", "", ""};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) {
      const double seconds = static_cast<double>(limits.timeout.count()) / 1000;
      return Error{ErrorCode::kUnsupported, fmt::format("it took longer than {:.3g} s", seconds),
                   "", ""};
    }
    pollfd wanted{.fd = pipe, .events = POLLIN, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::min(left, kLook).count()));
    if (ready <= 0) continue;
    const ssize_t got = read(pipe, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    message.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

int ending_of(pid_t copy) {
  int status = 0;
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Error no_copy() {
  return {ErrorCode::kMachineLacks,
          fmt::format("no process can be started: {}", std::strerror(errno)), "", ""};
}

}  // namespace

Result<std::string> run_apart(const std::function<Result<std::string>()>& work,
                              const ApartLimits& limits) {
  std::array<int, 2> pipes{};
  if (pipe2(pipes.data(), O_CLOEXEC) != 0) return no_copy();
  const pid_t parent = getpid();
  const pid_t copy = fork();
  if (copy < 0) {
    const Error error = no_copy();
    for (const int pipe : pipes) close(pipe);
    return error;
  }
  if (copy == 0) be_the_copy(work, limits, parent, pipes[1]);
  close(pipes[1]);
  std::string message;
  const std::optional<Error> objection = listen_to(pipes[0], limits, message);
  close(pipes[0]);
  kill(copy, SIGKILL);  // nothing happens if it has ended
  const int status = ending_of(copy);
  if (objection) return *objection;
  if (auto answer = read_message(message)) return std::move(*answer);
  // The system ends a process without memory, and libraries end themselves.
  Error died = out_of_memory();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) {
    died = {ErrorCode::kUnsupported, "it broke off", "", ""};
  }
  return died;
}

}  // namespace strobe
