#include <gmock/gmock.h>

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

TEST(CommandsTest, every_verb_and_action_of_strobe_has_a_complete_spec) {
  std::set<std::string_view> names;
  for (const Command& command : everything()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_GE(command.examples.size(), 2u) << command.name;
    EXPECT_EQ(command.run == nullptr, !command.actions.empty()) << command.name;
    std::set<std::string_view> flags;
    for (const Flag& flag : all_flags(command)) {
      EXPECT_TRUE(flags.insert(flag.name).second) << command.name << " --" << flag.name;
      EXPECT_FALSE(flag.help.empty()) << command.name << " --" << flag.name;
      const bool takes_value = flag.kind == FlagKind::kValue || flag.kind == FlagKind::kList;
      EXPECT_EQ(takes_value, !flag.value.empty()) << command.name << " --" << flag.name;
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

TEST(CommandsTest, a_flag_has_one_meaning_in_all_verbs) {
  std::map<std::string_view, std::string_view> values;
  for (const Command& command : everything()) {
    for (const Flag& flag : all_flags(command)) {
      const auto [known, is_new] = values.insert({flag.name, flag.value});
      EXPECT_TRUE(is_new || known->second == flag.value) << command.name << " --" << flag.name;
    }
  }
}

}  // namespace
}  // namespace strobe::cli
