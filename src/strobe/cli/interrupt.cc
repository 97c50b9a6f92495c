#include "strobe/cli/interrupt.h"

#include <csignal>
#include <cstring>

#include <unistd.h>

namespace strobe::cli {
namespace {

constexpr unsigned kPatienceSeconds = 1;
constexpr std::size_t kPathCapacity = 4096;

std::atomic<bool> was_interrupted = false;      // NOLINT: see the header
bool ignored_pipes_before = false;              // NOLINT: see the header
std::atomic<bool> has_unfinished_file = false;  // NOLINT: see the header
char unfinished_file[kPathCapacity];            // NOLINT: see the header

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

// Everything below is safe inside a signal handler, as is remove_unfinished_file().
void end_at_once(int) {
  remove_unfinished_file();
  constexpr char kFarewell[] = "strobe: interrupted\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kFarewell, sizeof kFarewell - 1);
  _exit(kInterruptedExit);
}

void on_signal(int signal) {
  if (was_interrupted.exchange(true)) end_at_once(signal);
  was_interrupted.notify_all();  // the store of a lock-free atomic is safe too
  alarm(kPatienceSeconds);
}

}  // namespace

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);  // no SA_RESTART: a blocked open or write must wake up
  }
  std::signal(SIGALRM, end_at_once);
  // If the reader has gone away (`| head`), write() returns an error; the process must not die.
  ignored_pipes_before = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
}

bool pipes_were_ignored() { return ignored_pipes_before; }

const std::atomic<bool>& interrupted() { return was_interrupted; }

Result<void> check_interrupted() {
  if (!was_interrupted) return {};
  return Error{.code = ErrorCode::kInterrupted, .what = "interrupted", .where = "", .hint = ""};
}

void answered_interrupt() { alarm(0); }

void forget_interrupt() {
  alarm(0);
  was_interrupted = false;
}

void remove_unfinished_file() {
  if (has_unfinished_file) unlink(unfinished_file);
}

void remember_unfinished_file(const std::string& path) {
  has_unfinished_file = false;
  if (path.empty() || path.size() >= kPathCapacity) return;
  std::memcpy(unfinished_file, path.c_str(), path.size() + 1);
  has_unfinished_file = true;
}

}  // namespace strobe::cli
