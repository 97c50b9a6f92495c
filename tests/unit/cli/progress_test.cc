#include "strobe/cli/progress.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMegabyte = 1'000'000;

Terminal a_terminal(int columns = 80) {
  Terminal terminal;
  terminal.stderr_is_terminal = true;
  terminal.columns = columns;
  return terminal;
}

TEST(ProgressTest, a_short_load_shows_nothing) {
  const Progress::Clock::time_point start;
  const Progress progress(a_terminal(), "loading a.json", start);
  EXPECT_EQ(progress.line(kMegabyte, 2 * kMegabyte, start + milliseconds(299)), "");
}

TEST(ProgressTest, a_long_load_says_how_far_and_how_fast) {
  const Progress::Clock::time_point start;
  const Progress progress(a_terminal(), "loading a.json", start);
  EXPECT_EQ(progress.line(500 * kMegabyte, 2000 * kMegabyte, start + milliseconds(500)),
            "loading a.json: 25 % of 2000 MB (1000 MB/s)");
}

TEST(ProgressTest, an_unknown_size_is_not_guessed) {
  const Progress::Clock::time_point start;
  const Progress progress(a_terminal(), "loading -", start);
  EXPECT_EQ(progress.line(500 * kMegabyte, 0, start + milliseconds(500)),
            "loading -: 500 MB (1000 MB/s)");
}

TEST(ProgressTest, the_line_never_fills_the_terminal) {
  const Progress::Clock::time_point start;
  const Progress progress(a_terminal(40), "loading " + std::string(100, 'x'), start);
  EXPECT_EQ(progress.line(1, 2, start + milliseconds(500)).size(), 39u);
}

TEST(ProgressTest, the_line_is_drawn_on_stderr_and_erased) {
  testing::internal::CaptureStderr();
  {
    const Progress::Clock::time_point start;
    Progress progress(a_terminal(), "loading", start);
    progress.update(0, 0, start + milliseconds(100));               // too early
    progress.update(kMegabyte, 0, start + milliseconds(1000));      // drawn
    progress.update(2 * kMegabyte, 0, start + milliseconds(1050));  // too soon after
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r\x1b[Kloading: 1 MB (1 MB/s)\r\x1b[K");
}

TEST(ProgressTest, a_pipe_and_a_quiet_person_see_nothing) {
  const Progress::Clock::time_point start;
  Terminal quiet = a_terminal();
  quiet.quiet = true;
  testing::internal::CaptureStderr();
  {
    Progress to_pipe(Terminal{}, "loading", start);
    to_pipe.update(kMegabyte, 0, start + milliseconds(1000));
    Progress to_quiet(quiet, "loading", start);
    to_quiet.update(kMegabyte, 0, start + milliseconds(1000));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace strobe::cli
