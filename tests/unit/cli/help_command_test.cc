#include "strobe/cli/help.h"

#include <gmock/gmock.h>

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Command a_painting_verb() {
  return {.name = "paint",
          .summary = "paints - slowly",
          .positionals = "FILE...",
          .positionals_help = "what to paint",
          .examples = {{"strobe paint a", "paints a"}, {"strobe paint -q b", "paints b"}},
          .notes = {".a note that starts like a command of roff"},
          .flags = {flag("--shade S",
                         "a help that is long enough to need a second line when the page is as "
                         "narrow as sixty columns",
                         {.take = {}, .choices = {"dark", "light"}}),
                    flag("--[no-]detail", "detail", {.take = {}})}};
}

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

TEST(HelpTest, a_manual_page_escapes_what_roff_would_obey) {
  const std::string page = manual_page(a_painting_verb());
  EXPECT_THAT(page, StartsWith(".TH STROBE\\-paint 1"));
  EXPECT_THAT(page, HasSubstr("\n\\&.a note"));
  EXPECT_THAT(page, HasSubstr(".B strobe paint \\-q b\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-shade S\n"));
}

TEST(HelpTest, completion_offers_verbs_flags_and_choices) {
  const std::string script = bash_completion({a_painting_verb()});
  EXPECT_THAT(script, HasSubstr("compgen -W \"paint\""));
  EXPECT_THAT(script, HasSubstr("paint) flags=\"--shade --detail --no-detail --color"));
  EXPECT_THAT(script, HasSubstr("paint:--shade) COMPREPLY=($(compgen -W \"dark light\""));
}

Command a_verb_with_actions() {
  Command build = a_painting_verb();
  build.name = "wall build";
  build.summary = "builds";
  Command demolish = {.name = "wall demolish", .summary = "breaks it down", .examples = {}};
  return {.name = "wall",
          .summary = "about walls",
          .examples = {{"strobe wall build b", "builds b"}},
          .actions = {build, demolish},
          .usual_action = "build"};
}

TEST(HelpTest, a_verb_lists_its_actions) {
  const std::string help = command_help(a_verb_with_actions(), 80);
  EXPECT_THAT(
      help,
      StartsWith("  strobe wall build b   builds b\n\nUsage: strobe wall [ACTION] [flags]\n"));
  EXPECT_THAT(help, HasSubstr("Actions:\n  build     builds\n  demolish  breaks it down\n"
                              "`strobe wall FILE` is short for `strobe wall build FILE`.\n"));
  EXPECT_THAT(manual_page(a_verb_with_actions()),
              HasSubstr(".SH ACTIONS\n.TP\n.B build\nbuilds\n"));
}

TEST(HelpTest, an_action_has_pages_of_its_own) {
  const Command build = a_verb_with_actions().actions[0];
  EXPECT_THAT(command_help(build, 80), HasSubstr("Usage: strobe wall build FILE... [flags]\n"));
  EXPECT_THAT(manual_page(build), StartsWith(".TH STROBE\\-wall\\-build 1"));
}

TEST(HelpTest, completion_offers_actions_and_their_flags) {
  const std::string script = bash_completion({a_verb_with_actions()});
  EXPECT_THAT(script, HasSubstr("compgen -W \"build demolish\""));
  EXPECT_THAT(script, HasSubstr("wall/build) flags=\"--shade"));
  EXPECT_THAT(script, HasSubstr("wall/demolish) flags=\"--color"));
  EXPECT_THAT(script, HasSubstr("wall/*) flags=\"--shade"));  // a file: the usual action
}

}  // namespace
}  // namespace strobe::cli
