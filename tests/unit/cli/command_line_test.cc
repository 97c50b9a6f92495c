#include "strobe/cli/command_line.h"

#include <gmock/gmock.h>

namespace strobe::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Outcome> do_nothing(const Arguments&, const Terminal&) { return Outcome{}; }

// What the flags of `strobe paint` were given.
struct Painted {
  std::vector<std::string> views;
  std::string top;
  std::string shade;
  std::string output;
  std::optional<bool> detail;
};

std::vector<Command> verbs(Painted& painted) {
  static constexpr Word<std::string_view> kShades[] = {{"Dark", "Dark"}, {"light", "light"}};
  static bool high = false;
  return {
      {.name = "paint",
       .summary = "paints",
       .positionals = "FILE...",
       .examples = {{"strobe paint a", "paints a"}, {"strobe paint b", "paints b"}},
       .flags = {flag("--views LIST", "which", to(painted.views)),
                 flag("--top N", "rows", to(painted.top)),
                 flag("--shade S", "shade", to_choice(painted.shade, kShades)),
                 flag("--[no-]detail", "detail", to(painted.detail)),
                 flag("-o, --output FILE", "where", to(painted.output))},
       .run = do_nothing},
      {.name = "rest", .summary = "rests", .examples = {}, .run = do_nothing},
      {.name = "wall",
       .summary = "about walls",
       .examples = {},
       .actions = {{.name = "wall build",
                    .summary = "builds",
                    .positionals = "BRICK...",
                    .examples = {},
                    .flags = {flag("--high", "higher", to(high))},
                    .run = do_nothing},
                   {.name = "wall break", .summary = "breaks", .examples = {}, .run = do_nothing}},
       .usual_action = "build"}};
}

std::vector<Command> a_verb() {
  static Painted unused;
  return verbs(unused);
}

Painted painted(const std::vector<std::string>& words) {
  Painted result;
  const Result<Request> request = parse_command_line(words, verbs(result));
  EXPECT_TRUE(request.has_value()) << (request ? "" : request.error().what);
  return result;
}

CommonOptions common(const std::vector<std::string>& words) {
  const Result<Request> request = parse_command_line(words, a_verb());
  EXPECT_TRUE(request.has_value()) << (request ? "" : request.error().what);
  return request ? request->common : CommonOptions{};
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
  const std::vector<std::string> words = {"paint", "a",     "--top",        "3",
                                          "b",     "-oout", "--shade=light"};
  EXPECT_THAT(parsed(words).positionals, ElementsAre("a", "b"));
  EXPECT_EQ(painted(words).top, "3");
  EXPECT_EQ(painted(words).output, "out");
  EXPECT_EQ(painted(words).shade, "light");
  EXPECT_TRUE(parsed(words).has("shade"));
  EXPECT_FALSE(parsed(words).has("views"));
}

TEST(CommandLineTest, the_last_value_wins_and_lists_add_up) {
  const Painted last =
      painted({"paint", "--top", "3", "--top", "4", "--views", "a,b", "--views=c,,"});
  EXPECT_EQ(last.top, "4");
  EXPECT_THAT(last.views, ElementsAre("a", "b", "c"));
}

TEST(CommandLineTest, choices_are_given_back_as_the_spec_spells_them) {
  EXPECT_EQ(painted({"paint", "--shade", "DARK"}).shade, "Dark");
  EXPECT_EQ(refused({"paint", "--shade", "drak"}).hint, "did you mean 'Dark'?");
}

TEST(CommandLineTest, a_negatable_switch_has_three_spellings) {
  EXPECT_FALSE(painted({"paint"}).detail.has_value());
  EXPECT_EQ(painted({"paint", "--no-detail"}).detail, false);
  EXPECT_EQ(painted({"paint", "--detail=off"}).detail, false);
  EXPECT_EQ(painted({"paint", "--no-detail", "--detail"}).detail, true);
  EXPECT_THAT(refused({"paint", "--detail=maybe"}).what, HasSubstr("neither on nor off"));
}

TEST(CommandLineTest, a_missing_value_is_named) {
  const Error error = refused({"paint", "a", "--top"});
  EXPECT_EQ(error.where, "--top");
  EXPECT_EQ(error.what, "needs a value: N");
  EXPECT_EQ(refused({"paint", "--top="}).what, "needs a value: N");
  EXPECT_EQ(refused({"paint", "--views", ","}).what, "needs a value: LIST");
  EXPECT_EQ(refused({"paint", "--shade"}).what, "needs a value: one of Dark, light");
}

TEST(CommandLineTest, a_flag_is_never_a_value_but_a_negative_number_is) {
  EXPECT_EQ(refused({"paint", "--top", "--no-detail"}).where, "--top");
  EXPECT_EQ(refused({"paint", "--top", "--", "3"}).where, "--top");
  EXPECT_EQ(painted({"paint", "--top", "-3"}).top, "-3");
  EXPECT_EQ(painted({"paint", "-o", "-"}).output, "-");
  EXPECT_EQ(painted({"paint", "-qo", "out"}).output, "out");
}

TEST(CommandLineTest, after_two_dashes_everything_is_a_file) {
  EXPECT_THAT(parsed({"paint", "--", "--top", "-x"}).positionals, ElementsAre("--top", "-x"));
  // Also after a flag's value, to which the two dashes might otherwise belong.
  const Arguments after_value = parsed({"paint", "--top", "3", "--", "sh", "-c", "", "--", "-v"});
  EXPECT_THAT(after_value.positionals, ElementsAre("sh", "-c", "", "--", "-v"));
  EXPECT_FALSE(common({"paint", "--top", "3", "--", "sh", "-v"}).verbose);
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
  EXPECT_EQ(refused({"piant"}).what, "unknown command 'piant'");
  EXPECT_EQ(refused({"piant"}).hint, "did you mean `strobe paint`?");
  EXPECT_EQ(refused({"--top"}).what, "unknown command '--top'");
}

TEST(CommandLineTest, a_verb_without_files_refuses_them) {
  EXPECT_EQ(refused({"rest", "now"}).what, "`strobe rest` takes no argument 'now'");
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
  EXPECT_EQ(error.what, "unknown action 'brek' of `strobe wall`");
  EXPECT_EQ(error.hint, "did you mean `strobe wall break`?");
  EXPECT_THAT(refused({"wall"}).what, HasSubstr("needs an action: build, break"));
}

TEST(CommandLineTest, a_verb_that_runs_by_itself_may_have_actions_beside) {
  bool high = false;
  const std::vector<Command> fences = {{.name = "fence",
                                        .summary = "builds a fence",
                                        .positionals = "-- POST...",
                                        .examples = {},
                                        .flags = {flag("--high", "higher", to(high))},
                                        .run = do_nothing,
                                        .actions = {{.name = "fence paint",
                                                     .summary = "paints it",
                                                     .positionals = "COLOR",
                                                     .examples = {},
                                                     .run = do_nothing}}}};
  const auto parse = [&](const std::vector<std::string>& words) {
    Result<Request> request = parse_command_line(words, fences);
    EXPECT_TRUE(request);
    return std::move(request).value();
  };
  EXPECT_EQ(parse({"fence", "paint", "red"}).command.name, "fence paint");
  EXPECT_THAT(parse({"fence", "paint", "red"}).arguments.positionals, ElementsAre("red"));
  EXPECT_EQ(parse({"fence"}).command.name, "fence");
  EXPECT_EQ(parse({"fence", "piant"}).command.name, "fence");
  // Behind two dashes, nothing is an action.
  const Request request = parse({"fence", "--high", "--", "paint", "red"});
  EXPECT_EQ(request.command.name, "fence");
  EXPECT_THAT(request.arguments.positionals, ElementsAre("paint", "red"));
  EXPECT_TRUE(high);
  EXPECT_EQ(parse({"fence", "--", "paint"}).command.name, "fence");
  EXPECT_EQ(parse({"fence", "--help"}).command.name, "fence");
  EXPECT_EQ(parse({"fence", "paint", "--help"}).command.name, "fence paint");
}

TEST(CommandLineTest, flags_and_files_are_those_of_the_action) {
  EXPECT_EQ(refused({"wall", "break", "--high"}).what, "`strobe wall break` has no flag '--high'");
  EXPECT_EQ(refused({"wall", "break", "x"}).what, "`strobe wall break` takes no argument 'x'");
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
  EXPECT_TRUE(common({"paint", "--nonsense", "--help"}).help);
  EXPECT_FALSE(common({"paint", "--", "--help"}).help);
}

TEST(CommandLineTest, common_flags_reach_the_terminal) {
  const Terminal terminal =
      terminal_for(common({"rest", "--color=always", "-qv"}), TerminalFacts{});
  EXPECT_TRUE(terminal.color);
  EXPECT_TRUE(terminal.quiet);
  EXPECT_TRUE(terminal.verbose);
}

}  // namespace
}  // namespace strobe::cli
