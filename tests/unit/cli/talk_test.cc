#include "strobe/cli/talk.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TEST(MessageTest, an_error_names_the_file_and_what_to_try) {
  const Error error{ErrorCode::kMalformed, "this is a report, not its export", "run7.rep",
                    "export it first"};
  EXPECT_EQ(error_text(error),
            "strobe: cannot read 'run7.rep': this is a report, not its export\n"
            "  hint: export it first\n");
}

TEST(MessageTest, the_code_chooses_the_verb_of_the_sentence) {
  EXPECT_EQ(error_text({ErrorCode::kCannotWrite, "the disk is full", "out.txt", ""}),
            "strobe: cannot write 'out.txt': the disk is full\n");
  EXPECT_EQ(error_text({ErrorCode::kInvalidArgument, "'x' is no number", "--top", ""}),
            "strobe: --top: 'x' is no number\n");
  EXPECT_EQ(error_text({ErrorCode::kInterrupted, "interrupted", "", ""}), "strobe: interrupted\n");
}

TEST(MessageTest, a_file_name_cannot_speak_to_the_terminal) {
  const Error error{ErrorCode::kNotFound, "no such file", "evil\x1b[2J\nname", ""};
  EXPECT_EQ(error_text(error), "strobe: cannot read 'evil\\x1b[2J\\nname': no such file\n");
}

TEST(MessageTest, colour_touches_only_the_first_word) {
  EXPECT_EQ(warning_text("a lost event", true), "strobe: \x1b[1;33mwarning:\x1b[0m a lost event\n");
  EXPECT_EQ(warning_text("a lost event"), "strobe: warning: a lost event\n");
}

using std::chrono::milliseconds;

constexpr std::uint64_t kMegabyte = 1'000'000;

Terminal watched_terminal(int columns = 80) {
  Terminal terminal;
  terminal.stderr_is_terminal = true;
  terminal.columns = columns;
  return terminal;
}

TEST(ProgressTest, a_short_load_shows_nothing) {
  const Progress::Clock::time_point start;
  const Progress progress(watched_terminal(), "loading a.json", start);
  EXPECT_EQ(progress.line(kMegabyte, 2 * kMegabyte, start + milliseconds(299)), "");
}

TEST(ProgressTest, a_long_load_says_how_far_and_how_fast) {
  const Progress::Clock::time_point start;
  const Progress progress(watched_terminal(), "loading a.json", start);
  EXPECT_EQ(progress.line(500 * kMegabyte, 2000 * kMegabyte, start + milliseconds(500)),
            "loading a.json: 25 % of 2000 MB (1000 MB/s)");
}

TEST(ProgressTest, an_unknown_size_is_not_guessed) {
  const Progress::Clock::time_point start;
  const Progress progress(watched_terminal(), "loading -", start);
  EXPECT_EQ(progress.line(500 * kMegabyte, 0, start + milliseconds(500)),
            "loading -: 500 MB (1000 MB/s)");
}

TEST(ProgressTest, the_line_never_fills_the_terminal) {
  const Progress::Clock::time_point start;
  const Progress progress(watched_terminal(40), "loading " + std::string(100, 'x'), start);
  EXPECT_EQ(progress.line(1, 2, start + milliseconds(500)).size(), 39u);
}

TEST(ProgressTest, the_line_is_drawn_on_stderr_and_erased) {
  ::testing::internal::CaptureStderr();
  {
    const Progress::Clock::time_point start;
    Progress progress(watched_terminal(), "loading", start);
    progress.update(0, 0, start + milliseconds(100));               // too early
    progress.update(kMegabyte, 0, start + milliseconds(1000));      // drawn
    progress.update(2 * kMegabyte, 0, start + milliseconds(1050));  // too soon after
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "\r\x1b[Kloading: 1 MB (1 MB/s)\r\x1b[K");
}

TEST(ProgressTest, a_pipe_and_a_quiet_person_see_nothing) {
  const Progress::Clock::time_point start;
  Terminal quiet = watched_terminal();
  quiet.quiet = true;
  ::testing::internal::CaptureStderr();
  {
    Progress to_pipe(Terminal{}, "loading", start);
    to_pipe.update(kMegabyte, 0, start + milliseconds(1000));
    Progress to_quiet(quiet, "loading", start);
    to_quiet.update(kMegabyte, 0, start + milliseconds(1000));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

readers::LoadedTrace a_load() {
  readers::LoadedTrace loaded;
  loaded.path = "a.json.gz";
  loaded.report.event_count = 2;
  loaded.report.file_bytes = 400'000;
  loaded.report.text_bytes = 30'000'000;
  loaded.stages = {{"read and scan", 0.05}, {"merge", 0.01}};
  return loaded;
}

TEST(VerboseTest, a_load_is_told_stage_by_stage_with_its_speed) {
  EXPECT_EQ(load_text(a_load()),
            "strobe: a.json.gz: 30.0 MB (packed 400.0 KB), 2 events, read as \n"
            "strobe:   read and scan         50.0 ms\n"
            "strobe:   merge                 10.0 ms\n"
            "strobe:   load                  60.0 ms     500 MB/s\n");
}

TEST(VerboseTest, nothing_is_said_unless_asked) {
  ::testing::internal::CaptureStderr();
  Stages silent(Terminal{});
  silent.loaded(a_load());
  silent.end("summarize");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace strobe::cli
