#include "tests/support/golden_page.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace strobe::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPage =
    "# A reason.\n"
    "--- a.json gzip\n"
    "[]\n"
    "--- mask [0-9]+ => N\n"
    "--- run\n"
    "strobe summary 'a b' a.json\n"
    "--- stdin a.json\n"
    "--- memory 300 MB\n"
    "--- stdout\n"
    "------- title -------\n"
    "---  -----\n"
    "--- stderr no-newline\n"
    "no end\n"
    "--- exit\n"
    "3\n"
    "--- files\n"
    "a.json\n"
    "--- contents out.txt\n"
    "text\n";

TEST(GoldenPageTest, a_page_is_read_and_written_back_unchanged) {
  const ParsedPage parsed = parse_page(kPage);
  ASSERT_EQ(parsed.problem, "");
  EXPECT_EQ(page_text(parsed.page), kPage);
  ASSERT_EQ(parsed.page.runs.size(), 1u);
  const Expectation& expected = parsed.page.runs[0].expected;
  EXPECT_EQ(expected.out, "------- title -------\n---  -----\n");
  EXPECT_EQ(expected.err, "no end");
  EXPECT_EQ(expected.exit_code, 3);
}

TEST(GoldenPageTest, a_page_that_could_not_fail_is_refused) {
  EXPECT_THAT(parse_page("# reason\n--- a.json\n[]\n").problem, HasSubstr("run"));
  EXPECT_THAT(parse_page("--- run\nstrobe\n").problem, HasSubstr("reason"));
  EXPECT_THAT(parse_page("# r\n--- run\nstrobe\n--- stdot\nx\n").problem, HasSubstr("stdot"));
  EXPECT_THAT(parse_page("# r\n--- run\nstrobe a\nstrobe b\n").problem, HasSubstr("one line"));
  EXPECT_THAT(parse_page("# r\n--- run\nstrobe\n--- exit\nthree\n").problem, HasSubstr("number"));
}

TEST(GoldenPageTest, quotes_hold_words_together) {
  EXPECT_THAT(command_words("strobe  --filter 'a b' \"\" x\"y z\""),
              ElementsAre("strobe", "--filter", "a b", "", "xy z"));
}

TEST(GoldenPageTest, a_difference_shows_the_lines_and_a_few_around_them) {
  EXPECT_EQ(line_difference("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(line_difference("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n"),
            " ...\n 3\n 4\n-5\n+five\n 6\n");
  EXPECT_EQ(line_difference("a\n", "a \n"), "-a\n+a $\n");
  EXPECT_EQ(line_difference("a\n", "a"), " ...\n(only the last newline differs)\n");
}

std::string written(const InputFile& input) {
  std::string name = (fs::temp_directory_path() / "strobe-page-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  EXPECT_EQ(write_input(input, name), "");
  std::ifstream file(fs::path(name) / input.name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  fs::remove_all(name);
  return text.str();
}

TEST(GoldenPageTest, macros_grow_an_input) {
  EXPECT_EQ(written({"a", {"expand", "no-newline"}, "x@repeat \"ab\" 3@y@bytes 00 ff@\n"}),
            std::string("xabababy\0\xff", 10));
  EXPECT_EQ(written({"a", {"expand"}, "@repeat \"[\" 3000000@"}), std::string(3'000'000, '['));
}

TEST(GoldenPageTest, inputs_are_packed_and_cut) {
  EXPECT_EQ(written({"a.gz", {"gzip"}, "[]"}).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(written({"a.zst", {"zstd"}, "[]"}).substr(0, 4), "\x28\xb5\x2f\xfd");
  EXPECT_EQ(written({"a", {"cut", "3"}, "abcdef"}), "abc");
}

TEST(GoldenPageTest, an_input_may_be_a_file_of_the_repository) {
  EXPECT_THAT(written({"a", {"from", "tests/golden/README.md"}, ""}), HasSubstr("One page"));
  EXPECT_THAT(write_input({"a", {"from", "tests/none"}, ""}, fs::temp_directory_path()),
              HasSubstr("tests/none"));
}

TEST(GoldenPageTest, an_unknown_word_or_macro_is_a_problem) {
  EXPECT_THAT(write_input({"a", {"gzp"}, ""}, fs::temp_directory_path()), HasSubstr("gzp"));
  EXPECT_THAT(write_input({"a", {"expand"}, "@repat@"}, fs::temp_directory_path()),
              HasSubstr("repat"));
}

}  // namespace
}  // namespace strobe::test
