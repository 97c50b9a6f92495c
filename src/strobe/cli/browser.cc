#include "strobe/cli/browser.h"

#include <array>
#include <cstdlib>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace strobe::cli {
namespace {

bool start(std::string program, std::string url) {
  const std::array<char*, 3> words = {program.data(), url.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // stdout is ours, and what browsers say is nobody's business.
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int outcome =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return outcome == 0;
}

}  // namespace

bool open_in_browser(const std::string& url) {
  const char* chosen = std::getenv("BROWSER");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (chosen != nullptr && *chosen != '\0') return start(chosen, url);
  return start("xdg-open", url);
}

}  // namespace strobe::cli
