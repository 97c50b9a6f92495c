#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/unit/query/needs_duckdb.h"

// `strobe query TRACE` on a pseudo-terminal: what a person sees.
namespace strobe::query {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class OnTerminal {
 public:
  explicit OnTerminal(const std::filesystem::path& state) {
    const winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ != 0) return;
    std::signal(SIGINT, SIG_DFL);  // a program in the background is started without it
    setenv("XDG_STATE_HOME", state.c_str(), 1);
    setenv("TERM", "xterm", 1);
    execl(STROBE_BINARY, STROBE_BINARY, "query", "--no-cache",
          STROBE_SOURCE_DIR "/examples/gpt_inference_compiled.json.gz", nullptr);
    std::_Exit(127);
  }
  ~OnTerminal() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(terminal_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  void type(std::string_view keys) const {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Whether the text comes; what was before it is not looked at again.
  ::testing::AssertionResult shows(std::string_view text) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (Clock::now() < end) {
      const std::size_t at = seen_.find(text);
      if (at != std::string::npos) {
        seen_.erase(0, at + text.size());
        return ::testing::AssertionSuccess();
      }
      if (!read_more()) break;
    }
    return ::testing::AssertionFailure() << "'" << text << "' is not in: " << seen_;
  }

  int exit_code() {
    while (read_more()) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool read_more() {
    pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 60'000) <= 0) return false;
    std::array<char, 4096> piece;
    const ssize_t bytes = read(terminal_, piece.data(), piece.size());
    if (bytes <= 0) return false;
    seen_.append(piece.data(), static_cast<std::size_t>(bytes));
    return true;
  }

  int terminal_ = -1;
  pid_t process_ = -1;
  std::string seen_;
};

TEST(ShellOnATerminalTest, it_answers_completes_remembers_and_survives_ctrl_c) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder state;
  {
    OnTerminal shell(state.path());
    ASSERT_TRUE(shell.shows("strobe> "));
    shell.type("select 6\r");
    ASSERT_TRUE(shell.shows("...> "));
    shell.type("* 7 as product;\r");
    ASSERT_TRUE(shell.shows("42"));
    ASSERT_TRUE(shell.shows("strobe> "));

    shell.type("select count(*) - 0 as n from step_a\t;\r");  // Tab
    ASSERT_TRUE(shell.shows("160"));
    ASSERT_TRUE(shell.shows("strobe> "));

    shell.type("select count(*) from range(1000000000000);\r");
    ASSERT_TRUE(shell.shows("Ctrl-C stops it"));
    shell.type("\x03");
    ASSERT_TRUE(shell.shows("interrupted"));
    ASSERT_TRUE(shell.shows("strobe> "));

    shell.type("select never");
    ASSERT_TRUE(shell.shows("never"));
    shell.type("\x03");
    ASSERT_TRUE(shell.shows("strobe> "));
    shell.type(".tables\r");
    ASSERT_TRUE(shell.shows("step_account"));
    shell.type("selct;\r");
    ASSERT_TRUE(shell.shows("syntax error"));
    ASSERT_TRUE(shell.shows("strobe> "));
    shell.type("\x04");
    EXPECT_EQ(shell.exit_code(), 0);
  }
  OnTerminal again(state.path());
  ASSERT_TRUE(again.shows("strobe> "));
  again.type("\x1b[A\x1b[A\x1b[A");  // .tables, the endless one, the steps
  again.type("\x1b[A");
  ASSERT_TRUE(again.shows("step_a"));
  again.type("\r");
  ASSERT_TRUE(again.shows("160"));
  again.type(".quit\r");
  EXPECT_EQ(again.exit_code(), 0);
}

}  // namespace
}  // namespace strobe::query
