#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "strobe/device/probe.h"

extern char** environ;

namespace strobe::device {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kEnoughBytes = 4096;

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const char* tool : {"/opt/nvidia/nsight-compute", "/opt/nvidia/nsight-systems"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(tool, ignored)) {
      folders.push_back(entry.path());
      folders.push_back(entry.path() / "bin");
    }
  }
  return folders;
}

std::string find_program(const std::vector<std::string>& names) {
  const std::vector<fs::path> folders = search_folders();
  for (const std::string& name : names) {
    for (const fs::path& folder : folders) {
      const fs::path candidate = folder / name;
      std::error_code ignored;
      if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
        return candidate.string();
      }
    }
  }
  return {};
}

std::string read_until_end_or(Clock::time_point deadline, int descriptor) {
  std::string text;
  char buffer[1024];
  while (text.size() < kEnoughBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waiting{descriptor, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

// The child is given a moment to end by itself, so that nothing is killed in the middle of its
// goodbye.
void reap(pid_t child, Clock::time_point deadline) {
  while (Clock::now() < deadline) {
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    usleep(2000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

std::string output_of(const std::string& program, const std::string& flag) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  std::string argument = flag;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const bool started =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  if (started) {
    const Clock::time_point deadline = Clock::now() + kPatience;
    text = read_until_end_or(deadline, pipe_ends[0]);
    reap(child, deadline);
  }
  close(pipe_ends[0]);
  return text;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string version_in(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    while (text[end - 1] == '.') --end;
    const std::string_view candidate = text.substr(at, end - at);
    if (candidate.find('.') != std::string_view::npos) return std::string(candidate);
    at = end;
  }
  return {};
}

std::optional<Found> probe_program(const std::vector<std::string>& names) {
  const std::string path = find_program(names);
  if (path.empty()) return std::nullopt;
  return Found{.version = version_in(output_of(path, "--version")), .path = path, .detail = ""};
}

}  // namespace strobe::device
