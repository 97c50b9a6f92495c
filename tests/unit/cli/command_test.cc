#include <gmock/gmock.h>

#include <map>
#include <set>

#include "strobe/cli/command.h"
#include "strobe/cli/help.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;

// Verbs, and the actions of those that have some.
std::vector<Command> everything() {
  std::vector<Command> all;
  for (const Command& verb : commands()) {
    all.push_back(verb);
    for (const Command& action : verb.actions) all.push_back(action);
  }
  return all;
}

std::vector<Flag> parsed_flags(const Command& command) {
  static CommonOptions common;
  std::vector<Flag> flags = command.flags;
  for (Flag& flag : common_flags(common)) flags.push_back(std::move(flag));
  return flags;
}

TEST(CommandTest, every_verb_and_action_of_strobe_has_a_complete_spec) {
  std::set<std::string_view> names;
  for (const Command& command : everything()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_GE(command.examples.size(), 2u) << command.name;
    EXPECT_TRUE(command.run != nullptr || !command.actions.empty()) << command.name;
    // What a line without an action means is said once.
    EXPECT_FALSE(command.run != nullptr && !command.usual_action.empty()) << command.name;
    std::set<std::string_view> flags;
    for (const Flag& flag : parsed_flags(command)) {
      EXPECT_TRUE(flags.insert(flag.name).second) << command.name << " --" << flag.name;
      EXPECT_FALSE(flag.help.empty()) << command.name << " --" << flag.name;
      EXPECT_TRUE(flag.target.take) << command.name << " --" << flag.name;
      EXPECT_FALSE(flag.target.is_list && flag.value.empty()) << command.name << " --" << flag.name;
      // Users can only guess a choice that help does not name.
      for (const std::string_view choice : flag.target.choices) {
        EXPECT_THAT(flag.help, HasSubstr(choice)) << command.name << " --" << flag.name;
      }
      const std::size_t preset = flag.help.find("default");
      EXPECT_TRUE(preset == std::string::npos || flag.help.find("(default: ") != std::string::npos)
          << command.name << " --" << flag.name << ": " << flag.help;
    }
    EXPECT_THAT(command_help(command, 100), HasSubstr(command.examples[0].command));
  }
  for (const Command& verb : commands()) {
    EXPECT_THAT(overview_help(commands()), HasSubstr(verb.summary));
    for (const Command& action : verb.actions) {
      EXPECT_TRUE(action.name.starts_with(std::string(verb.name) + " ")) << action.name;
      const std::string help = command_help(verb, 100);
      EXPECT_EQ(help.find(action.summary) == std::string::npos, action.is_hidden) << action.name;
    }
  }
}

TEST(CommandTest, no_help_is_wider_than_a_hundred_columns) {
  std::string pages = overview_help(commands());
  for (const Command& command : everything()) pages += command_help(command, 200);
  for (std::size_t start = 0; start < pages.size();) {
    const std::size_t end = pages.find('\n', start);
    EXPECT_LE(end - start, 100u) << pages.substr(start, end - start);
    start = end + 1;
  }
}

TEST(CommandTest, a_flag_has_one_meaning_in_all_verbs) {
  std::map<std::string_view, std::string_view> values;
  for (const Command& command : everything()) {
    for (const Flag& flag : parsed_flags(command)) {
      // NAME and NAME=COMMAND both name a worker; an output is a file or a folder of files.
      std::string_view value = flag.value.substr(0, flag.value.find('='));
      if (flag.name == "output" && value == "DIR") value = "FILE";
      // `bench run --api` lists calls that `record --api CALLS` would record.
      if (flag.name == "api") continue;
      const auto [known, is_new] = values.insert({flag.name, value});
      EXPECT_TRUE(is_new || known->second == value) << command.name << " --" << flag.name;
    }
  }
}

TEST(CommandTest, arguments_know_which_flags_were_typed) {
  std::string output;
  const std::vector<Flag> flags = {output_flag(output), flag("--top N", "rows", {.take = {}})};
  Arguments arguments(flags);
  EXPECT_FALSE(arguments.has("top"));
  EXPECT_EQ(arguments.first_of({"output", "top"}), "");
  arguments.add("top");
  EXPECT_TRUE(arguments.has("top"));
  EXPECT_EQ(arguments.first_of({"output", "top"}), "top");
}

TEST(CommandTest, a_dash_is_stdin) {
  EXPECT_THAT(input_names({"-", "a", "--"}), ::testing::ElementsAre("/dev/stdin", "a", "--"));
}

}  // namespace
}  // namespace strobe::cli
