#include <gmock/gmock.h>

#include "strobe/cli/help.h"
#include "tests/unit/cli/sample_commands.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ManualTest, a_page_escapes_what_roff_would_obey) {
  const std::string page = manual_page(a_painting_verb());
  EXPECT_THAT(page, StartsWith(".TH STROBE\\-paint 1"));
  EXPECT_THAT(page, HasSubstr("\n\\&.a note"));
  EXPECT_THAT(page, HasSubstr(".B strobe paint \\-q b\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-shade S\n"));
}

TEST(ManualTest, quotes_and_signs_can_be_copied_from_the_page) {
  Command command = a_painting_verb();
  command.examples = {{"strobe paint --match '^a~\"b\"'", "with `quotes`"}};
  EXPECT_THAT(manual_page(command),
              HasSubstr(".B strobe paint \\-\\-match \\(aq\\(haa\\(ti\\(dqb\\(dq\\(aq\n"
                        "with \\(gaquotes\\(ga\n"));
}

TEST(ManualTest, a_verb_lists_its_actions_and_an_action_has_a_page_of_its_own) {
  EXPECT_THAT(manual_page(a_verb_with_actions()),
              HasSubstr(".SH ACTIONS\n.TP\n.B build\nbuilds\n"));
  EXPECT_THAT(manual_page(a_verb_with_actions().actions[0]),
              StartsWith(".TH STROBE\\-wall\\-build 1"));
}

TEST(ManualTest, what_verbose_adds_is_with_its_command) {
  Command command = a_painting_verb();
  EXPECT_THAT(manual({command}), Not(HasSubstr("every brush")));
  command.verbose_adds = "show every brush";
  EXPECT_THAT(manual({command}), HasSubstr(".B \\-v, \\-\\-verbose\nshow every brush\n"));
  EXPECT_THAT(manual_page(command), HasSubstr("; show every brush\n"));
}

TEST(ManualTest, the_page_about_everything_has_every_command_flag_and_exit_code) {
  Command secret = a_painting_verb();
  secret.name = "wall secret";
  secret.is_hidden = true;
  Command wall = a_verb_with_actions();
  wall.actions.push_back(secret);
  const std::string page = manual({a_painting_verb(), wall});
  EXPECT_THAT(page, StartsWith(".TH STROBE 1"));
  EXPECT_THAT(page, HasSubstr(".SS strobe paint FILE... [flags]\npaints \\- slowly.\n"));
  EXPECT_THAT(page, HasSubstr(".SS strobe wall [ACTION] [flags]\n"));
  EXPECT_THAT(page, HasSubstr(".SS strobe wall build FILE... [flags]\n"));
  EXPECT_THAT(page, HasSubstr("\\(gastrobe wall FILE\\(ga is short for"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-[no\\-]detail\ndetail\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
  // Flags of every command are explained once.
  const std::size_t first = page.find(".B \\-\\-color WHEN");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(page.find(".B \\-\\-color WHEN", first + 1), std::string::npos);
}

}  // namespace
}  // namespace strobe::cli
