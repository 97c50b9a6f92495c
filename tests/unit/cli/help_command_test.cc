#include "strobe/cli/help.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/sample_commands.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(HelpTest, help_opens_with_the_examples) {
  EXPECT_THAT(command_help(a_painting_verb(), 80),
              StartsWith("  strobe paint a      paints a\n"
                         "  strobe paint -q b   paints b\n"
                         "\n"
                         "Usage: strobe paint FILE... [flags]\n"
                         "Paints - slowly.\n"));
}

TEST(HelpTest, no_line_is_wider_than_the_page) {
  std::string help = command_help(a_painting_verb(), 60);
  EXPECT_THAT(help, HasSubstr("--[no-]detail"));
  while (!help.empty()) {
    const std::size_t end = help.find('\n');
    EXPECT_LE(end, 60u) << help.substr(0, end);
    help.erase(0, end + 1);
  }
}

TEST(HelpTest, a_verb_lists_its_actions) {
  const std::string help = command_help(a_verb_with_actions(), 80);
  EXPECT_THAT(
      help,
      StartsWith("  strobe wall build b   builds b\n\nUsage: strobe wall [ACTION] [flags]\n"));
  EXPECT_THAT(help, HasSubstr("Actions:\n  build     builds\n  demolish  breaks it down\n"
                              "`strobe wall FILE` is short for `strobe wall build FILE`.\n"));
}

TEST(HelpTest, an_action_has_pages_of_its_own) {
  const Command build = a_verb_with_actions().actions[0];
  EXPECT_THAT(command_help(build, 80), HasSubstr("Usage: strobe wall build FILE... [flags]\n"));
}

TEST(HelpTest, exit_codes_are_listed_in_the_overview) {
  const std::string overview = overview_help({a_painting_verb()});
  EXPECT_THAT(overview, HasSubstr("Exit codes: 0 success, 1 a --fail-on check failed"));
  EXPECT_THAT(overview, HasSubstr("130 interrupted.\n"));
}

}  // namespace
}  // namespace strobe::cli
