#include "strobe/record/launcher.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/exec_words.h"
#include "strobe/base/file.h"
#include "strobe/record/library_finder.h"
#include "strobe/wire/kernel_recording.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {

namespace fs = std::filesystem;

Variables recording_environment(const RecordSettings& settings, const std::filesystem::path& folder,
                                const std::string& program) {
  std::string metrics;
  for (const std::vector<std::string>& list : settings.metrics) {
    metrics += fmt::format("{}{}", metrics.empty() ? "" : ";", fmt::join(list, ","));
  }
  Variables variables = {
      {"CUDA_INJECTION64_PATH", settings.library.string()},
      {wire::kRecordFolder, folder.string()},
      {wire::kRecordMetrics, metrics},
      {wire::kRecordStrict, settings.is_strict ? "1" : ""},
      {wire::kRecordKernel, settings.kernel_pattern},
      {wire::kRecordIsolate, settings.isolated_pattern},
      {wire::kRecordLaunches, settings.launches},
  };
  if (settings.has_windows) variables.emplace_back(wire::kRecordWindow, "1");
  if (std::getenv(wire::kRecordCupti) == nullptr) {
    variables.emplace_back(wire::kRecordCupti, find_python_cupti(program));
  }
  return variables;
}

namespace {

struct Section {
  std::int64_t start_unix_ns;
  std::string bytes;
};

}  // namespace

Result<SectionFolder> SectionFolder::make() {
  std::error_code no_folder;
  std::string path = (fs::temp_directory_path(no_folder) / "strobe-record-XXXXXX").string();
  if (no_folder || mkdtemp(path.data()) == nullptr) {
    return Error{
        .code = ErrorCode::kCannotWrite,
        .what = fmt::format("cannot make a folder for temporary files: {}", std::strerror(errno)),
        .where = "",
        .hint = ""};
  }
  return SectionFolder(path);
}

SectionFolder::SectionFolder(SectionFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

SectionFolder::~SectionFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<Sections> SectionFolder::collect() const {
  std::vector<Section> sections;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
    if (entry.path().extension() != wire::kRecordingSuffix) continue;
    STROBE_TRY(const auto file, MappedFile::open(entry.path()));
    const std::span<const char> bytes = file->bytes();
    wire::SectionHeader header = {};
    if (bytes.size() < sizeof header) continue;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, wire::kRecordingMagic, sizeof header.magic) != 0) continue;
    const std::uint64_t end =
        std::min<std::uint64_t>(bytes.size(), header.header_bytes + header.body_bytes);
    sections.push_back({header.start_unix_ns, std::string(bytes.data(), end)});
  }
  std::ranges::sort(sections, {}, &Section::start_unix_ns);
  Sections collected;
  for (const Section& section : sections) collected.bytes += section.bytes;
  collected.processes = sections.size();
  return collected;
}

namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

Error failed(std::string what, int error) {
  return {.code = ErrorCode::kCannotWrite,
          .what = fmt::format("{}: {}", what, std::strerror(error)),
          .where = "",
          .hint = ""};
}

volatile std::sig_atomic_t the_child = 0;  // NOLINT: a signal handler has nothing else

// Signals from a terminal already reach the whole foreground group.
void forward(int signal, siginfo_t* info, void*) {
  if (the_child > 0 && info->si_code <= 0) kill(the_child, signal);
}

// While the program runs, it handles signals.
class ForwardedSignals {
 public:
  ForwardedSignals() {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      struct sigaction action {};
      action.sa_sigaction = forward;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      sigemptyset(&action.sa_mask);
      sigaction(kForwarded[i], &action, &before_[i]);
      // A signal that is ignored, as under nohup, stays ignored, in the program too.
      if (before_[i].sa_handler == SIG_IGN) sigaction(kForwarded[i], &before_[i], nullptr);
    }
  }
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;
  ~ForwardedSignals() {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      sigaction(kForwarded[i], &before_[i], nullptr);
    }
  }

 private:
  std::array<struct sigaction, kForwarded.size()> before_ = {};
};

// Signals to be forwarded wait until the child exists.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kForwarded) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { let_go(); }
  void let_go() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

Error cannot_start(const std::string& program, int error) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("cannot start '{}': {}", program, std::strerror(error)),
          .where = "",
          .hint = "give a program and its arguments after `--`; it is found as in a shell"};
}

// If exec fails, the child reports why through a pipe, which closes by itself on success.
Result<pid_t> start(const RecordRequest& request, const fs::path& folder) {
  std::vector<std::string> words = request.command;
  std::vector<std::string> variables =
      environment_with(recording_environment(request.settings, folder, request.command[0]));
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  const HeldSignals held;
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(report[0]);
    close(report[1]);
    return failed("cannot start a process", error);
  }
  if (child == 0) {
    for (const int signal : kForwarded) {
      struct sigaction now {};
      sigaction(signal, nullptr, &now);
      if (now.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
    }
    std::signal(SIGPIPE, SIG_DFL);  // strobe ignores it, which the child would inherit
    held.let_go();
    execvpe(arguments[0], arguments.data(), environment.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t ignored = write(report[1], &error, sizeof error);
    _exit(127);
  }
  the_child = child;
  held.let_go();
  close(report[1]);
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report[0], &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got != static_cast<ssize_t>(sizeof error)) return child;
  waitpid(child, nullptr, 0);
  the_child = 0;
  return cannot_start(request.command[0], error);
}

}  // namespace

Result<RecordOutcome> record_kernels(const RecordRequest& request) {
  STROBE_TRY(const SectionFolder folder, SectionFolder::make());
  RecordOutcome outcome;
  const auto since = std::chrono::steady_clock::now();
  {
    const ForwardedSignals forwarded;
    STROBE_TRY(const pid_t child, start(request, folder.path()));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    the_child = 0;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  STROBE_TRY(Sections sections, folder.collect());
  outcome.recording = std::move(sections.bytes);
  outcome.processes = sections.processes;
  return outcome;
}

}  // namespace strobe::record
