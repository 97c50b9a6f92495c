#include "strobe/cli/help.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/sample_commands.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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

TEST(HelpTest, where_an_example_is_too_wide_effects_are_below_their_commands) {
  Command command = a_painting_verb();
  command.examples = {{"strobe paint a", "paints a"},
                      {"strobe paint --shade 'very dark' --detail first.png second.png",
                       "two pictures, the second one with all of its detail"}};
  EXPECT_THAT(command_help(command, 60),
              StartsWith("  strobe paint a\n"
                         "      paints a\n"
                         "  strobe paint --shade 'very dark' --detail first.png \\\n"
                         "    second.png\n"
                         "      two pictures, the second one with all of its detail\n"
                         "\n"));
}

TEST(HelpTest, an_example_is_never_cut_inside_quotes) {
  Command command = a_painting_verb();
  command.examples = {
      {"strobe paint --match 'one long name with many spaces in it' picture.png", "paints it"}};
  EXPECT_THAT(command_help(command, 60),
              StartsWith("  strobe paint --match \\\n"
                         "    'one long name with many spaces in it' picture.png\n"
                         "      paints it\n"));
}

TEST(HelpTest, the_variable_that_sets_the_width_is_named) {
  EXPECT_THAT(command_help(a_painting_verb(), 100),
              HasSubstr("      COLUMNS=N             environment variable: the width of text"));
  EXPECT_THAT(overview_help({a_painting_verb()}),
              HasSubstr("The environment variable COLUMNS sets the width of text"));
}

TEST(HelpTest, what_verbose_adds_is_said_only_where_it_is_true) {
  Command command = a_painting_verb();
  EXPECT_THAT(command_help(command, 100), Not(HasSubstr("show every brush")));
  command.verbose_adds = "show every brush";
  EXPECT_THAT(command_help(command, 100), HasSubstr("the time of each stage; show every brush\n"));
}

TEST(HelpTest, a_long_text_goes_on_below_its_own_beginning) {
  EXPECT_EQ(hanging_lines("name  ", 6, "one two three four five six seven", 30),
            "name  one two three four five\n"
            "      six seven\n");
  EXPECT_EQ(hanging_lines("name  ", 6, "", 30), "name  \n");
}

TEST(HelpTest, a_verb_lists_its_actions) {
  const std::string help = command_help(a_verb_with_actions(), 80);
  EXPECT_THAT(
      help,
      StartsWith("  strobe wall build b   builds b\n\nUsage: strobe wall [ACTION] [flags]\n"));
  EXPECT_THAT(help, HasSubstr("Actions:\n  build     builds\n  demolish  breaks it down\n"
                              "`strobe wall FILE` is short for `strobe wall build FILE`.\n"));
}

TEST(HelpTest, a_verb_that_runs_by_itself_shows_its_flags_and_its_actions) {
  Command fence = a_painting_verb();
  fence.positionals = "-- POST...";
  fence.run = [](const Arguments&, const Terminal&) { return Result<Outcome>(Outcome{}); };
  fence.actions = {{.name = "paint fence", .summary = "paints a fence", .examples = {}}};
  const std::string help = command_help(fence, 80);
  // Flags stand before the two dashes: what follows them is not strobe's.
  EXPECT_THAT(help, HasSubstr("Usage: strobe paint [flags] -- POST...\n"));
  EXPECT_THAT(help, HasSubstr("Actions:\n  fence  paints a fence\n"));
  EXPECT_THAT(help, HasSubstr("Flags:\n      --shade S"));
}

TEST(HelpTest, an_action_has_pages_of_its_own) {
  const Command build = a_verb_with_actions().actions[0];
  EXPECT_THAT(command_help(build, 80), HasSubstr("Usage: strobe wall build FILE... [flags]\n"));
}

TEST(HelpTest, exit_codes_are_listed_in_the_overview) {
  const std::string overview = overview_help({a_painting_verb()});
  EXPECT_THAT(overview, HasSubstr("Exit codes: 0 success, 1 a --fail-on check failed"));
  EXPECT_THAT(overview, HasSubstr("130 interrupted.\n"));
  EXPECT_THAT(overview, HasSubstr("`strobe record` ends with the exit code of its program.\n"));
}

}  // namespace
}  // namespace strobe::cli
