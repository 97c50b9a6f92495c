#include "strobe/cli/command_line.h"

#include <gmock/gmock.h>

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Outcome> do_nothing(const Arguments&, const Terminal&) { return Outcome{}; }

std::vector<Command> a_verb() {
  return {
      {.name = "paint",
       .summary = "paints",
       .positionals = "FILE...",
       .examples = {{"strobe paint a", "paints a"}, {"strobe paint b", "paints b"}},
       .flags = {{.name = "views", .kind = FlagKind::kList, .value = "LIST", .help = "which"},
                 {.name = "top", .kind = FlagKind::kValue, .value = "N", .help = "rows"},
                 {.name = "shade",
                  .kind = FlagKind::kValue,
                  .value = "S",
                  .help = "shade",
                  .choices = {"Dark", "light"}},
                 {.name = "detail", .kind = FlagKind::kNegatable, .help = "detail"},
                 {.name = "output",
                  .kind = FlagKind::kValue,
                  .value = "FILE",
                  .help = "where",
                  .letter = 'o'}},
       .run = do_nothing},
      {.name = "rest", .summary = "rests", .examples = {}, .run = do_nothing},
      {.name = "wall",
       .summary = "about walls",
       .examples = {},
       .actions = {{.name = "wall build",
                    .summary = "builds",
                    .positionals = "BRICK...",
                    .examples = {},
                    .flags = {{.name = "high", .help = "higher"}},
                    .run = do_nothing},
                   {.name = "wall break", .summary = "breaks", .examples = {}, .run = do_nothing}},
       .usual_action = "build"}};
}

std::string_view chosen(const std::vector<std::string>& words) {
  const Result<Request> request = parse_command_line(words, a_verb());
  EXPECT_TRUE(request.has_value()) << (request ? "" : request.error().what);
  return request ? request->command.name : "";
}

Arguments parsed(const std::vector<std::string>& words) {
  const Result<Request> request = parse_command_line(words, a_verb());
  EXPECT_TRUE(request.has_value()) << (request ? "" : request.error().what);
  return request ? request->arguments : Arguments{};
}

Error refused(const std::vector<std::string>& words) {
  const Result<Request> request = parse_command_line(words, a_verb());
  EXPECT_FALSE(request.has_value());
  const Error error = request ? Error{} : request.error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  return error;
}

TEST(CommandLineTest, files_and_flags_may_stand_in_any_order) {
  const Arguments arguments = parsed({"paint", "a", "--top", "3", "b", "-oout", "--shade=light"});
  EXPECT_THAT(arguments.positionals, ElementsAre("a", "b"));
  EXPECT_EQ(arguments.get("top"), "3");
  EXPECT_EQ(arguments.get("output"), "out");
  EXPECT_EQ(arguments.get("shade"), "light");
  EXPECT_FALSE(arguments.has("views"));
}

TEST(CommandLineTest, the_last_value_wins_and_lists_add_up) {
  const Arguments arguments =
      parsed({"paint", "--top", "3", "--top", "4", "--views", "a,b", "--views=c,,"});
  EXPECT_EQ(arguments.get("top"), "4");
  EXPECT_THAT(arguments.list("views"), ElementsAre("a", "b", "c"));
}

TEST(CommandLineTest, choices_are_given_back_as_the_spec_spells_them) {
  EXPECT_EQ(parsed({"paint", "--shade", "DARK"}).get("shade"), "Dark");
  EXPECT_EQ(refused({"paint", "--shade", "drak"}).hint, "did you mean 'Dark'?");
}

TEST(CommandLineTest, a_negatable_switch_has_three_spellings) {
  EXPECT_TRUE(parsed({"paint"}).is_on("detail", true));
  EXPECT_FALSE(parsed({"paint", "--no-detail"}).is_on("detail", true));
  EXPECT_FALSE(parsed({"paint", "--detail=off"}).is_on("detail", true));
  EXPECT_TRUE(parsed({"paint", "--no-detail", "--detail"}).is_on("detail", false));
  EXPECT_THAT(refused({"paint", "--detail=maybe"}).what, HasSubstr("neither on nor off"));
}

TEST(CommandLineTest, a_missing_value_is_named) {
  const Error error = refused({"paint", "a", "--top"});
  EXPECT_EQ(error.where, "--top");
  EXPECT_EQ(error.what, "needs a value: N");
}

TEST(CommandLineTest, after_two_dashes_everything_is_a_file) {
  EXPECT_THAT(parsed({"paint", "--", "--top", "-x"}).positionals, ElementsAre("--top", "-x"));
  // Also behind a flag's value, which the two dashes might otherwise belong to.
  const Arguments after_value = parsed({"paint", "--top", "3", "--", "sh", "-c", "", "--", "-v"});
  EXPECT_THAT(after_value.positionals, ElementsAre("sh", "-c", "", "--", "-v"));
  EXPECT_FALSE(after_value.is_on("verbose"));
  EXPECT_THAT(parsed({"paint", "-"}).positionals, ElementsAre("-"));
}

TEST(CommandLineTest, an_unknown_flag_suggests_its_neighbour_and_hides_the_value) {
  const Error error = refused({"paint", "--tpo=7", "a"});
  EXPECT_EQ(error.what, "`strobe paint` has no flag '--tpo'");
  EXPECT_EQ(error.hint, "did you mean '--top'?");
  EXPECT_EQ(refused({"paint", "-z"}).hint, "`strobe paint --help` lists the flags");
  EXPECT_EQ(refused({"paint", "--no-detial"}).hint, "did you mean '--no-detail'?");
}

TEST(CommandLineTest, an_unknown_verb_suggests_its_neighbour) {
  EXPECT_EQ(refused({"piant"}).hint, "did you mean `strobe paint`?");
}

TEST(CommandLineTest, a_verb_without_files_refuses_them) {
  EXPECT_EQ(refused({"rest", "now"}).what, "`strobe rest` takes no 'now'");
}

TEST(CommandLineTest, an_action_is_chosen_by_the_word_behind_its_verb) {
  EXPECT_EQ(chosen({"wall", "break"}), "wall break");
  EXPECT_EQ(chosen({"wall", "build", "--high", "clay"}), "wall build");
  EXPECT_THAT(parsed({"wall", "build", "break"}).positionals, ElementsAre("break"));
}

TEST(CommandLineTest, without_an_action_the_usual_one_is_meant) {
  EXPECT_EQ(chosen({"wall", "clay.brick"}), "wall build");
  EXPECT_EQ(chosen({"wall", "--high", "clay"}), "wall build");
  EXPECT_EQ(chosen({"wall", "./brek"}), "wall build");  // a file whose name resembles an action
  EXPECT_THAT(parsed({"wall", "clay", "loam"}).positionals, ElementsAre("clay", "loam"));
}

TEST(CommandLineTest, a_mistyped_action_is_not_taken_for_a_file) {
  const Error error = refused({"wall", "brek", "x"});
  EXPECT_EQ(error.what, "'brek' is nothing that `strobe wall` does");
  EXPECT_EQ(error.hint, "did you mean `strobe wall break`?");
  EXPECT_THAT(refused({"wall"}).what, HasSubstr("needs to know what to do: build, break"));
}

TEST(CommandLineTest, flags_and_files_are_those_of_the_action) {
  EXPECT_EQ(refused({"wall", "break", "--high"}).what, "`strobe wall break` has no flag '--high'");
  EXPECT_EQ(refused({"wall", "break", "x"}).what, "`strobe wall break` takes no 'x'");
}

TEST(CommandLineTest, help_is_about_the_verb_or_the_action) {
  EXPECT_EQ(chosen({"wall", "--help"}), "wall");
  EXPECT_EQ(chosen({"wall", "break", "--help"}), "wall break");
  EXPECT_EQ(find_command({"wall"}, a_verb()).value().name, "wall");
  EXPECT_EQ(find_command({"wall", "break"}, a_verb()).value().name, "wall break");
  EXPECT_THAT(find_command({"wall", "brek"}, a_verb()).error().hint, HasSubstr("'break'"));
}

TEST(CommandLineTest, an_empty_argument_is_an_unset_variable) {
  EXPECT_EQ(refused({"paint", ""}).what, "an argument is empty");
}

TEST(CommandLineTest, help_wins_over_mistakes) {
  EXPECT_TRUE(parsed({"paint", "--nonsense", "--help"}).is_on("help"));
  EXPECT_FALSE(parsed({"paint", "--", "--help"}).is_on("help"));
}

TEST(CommandLineTest, common_flags_reach_the_terminal) {
  const Terminal terminal =
      terminal_for(parsed({"rest", "--color=always", "-qv"}), TerminalFacts{});
  EXPECT_TRUE(terminal.color);
  EXPECT_TRUE(terminal.quiet);
  EXPECT_TRUE(terminal.verbose);
}

}  // namespace
}  // namespace strobe::cli
