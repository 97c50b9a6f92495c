#include <gmock/gmock.h>

#include "strobe/cli/help.h"
#include "tests/unit/cli/sample_commands.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(BashCompletionTest, it_offers_verbs_flags_and_choices) {
  const std::string script = bash_completion({a_painting_verb()});
  EXPECT_THAT(script, HasSubstr("compgen -W \"paint\""));
  EXPECT_THAT(script, HasSubstr("paint) flags=\"--shade --detail --no-detail --color"));
  EXPECT_THAT(script, HasSubstr("paint:--shade) COMPREPLY=($(compgen -W \"dark light\""));
}

TEST(BashCompletionTest, it_offers_actions_and_their_flags) {
  const std::string script = bash_completion({a_verb_with_actions()});
  EXPECT_THAT(script, HasSubstr("compgen -W \"build demolish\""));
  EXPECT_THAT(script, HasSubstr("wall/build) flags=\"--shade"));
  EXPECT_THAT(script, HasSubstr("wall/demolish) flags=\"--color"));
  EXPECT_THAT(script, HasSubstr("wall/*) flags=\"--shade"));  // a file: the usual action
}

TEST(BashCompletionTest, a_verb_that_runs_by_itself_has_its_own_flags_beside_its_actions) {
  Command verb = a_painting_verb();
  verb.run = [](const Arguments&, const Terminal&) { return Result<Outcome>(Outcome{}); };
  verb.actions = {{.name = "paint fence", .summary = "paints a fence", .examples = {}}};
  const std::string bash = bash_completion({verb});
  EXPECT_THAT(bash, HasSubstr("paint/fence) flags=\"--color"));
  EXPECT_THAT(bash, HasSubstr("paint/*) flags=\"--shade"));
  EXPECT_THAT(zsh_completion({verb}),
              HasSubstr("    paint/*)\n      _arguments -s \\\n        --shade="));
  EXPECT_THAT(fish_completion({verb}),
              HasSubstr("'__strobe_is paint; and not __strobe_is paint fence' -l shade"));
}

Command a_verb_with_odd_flags() {
  return {.name = "odd",
          .summary = "it's odd",
          .examples = {},
          .flags = {flag("-o, --output FILE", "write to FILE; and more", {.take = {}}),
                    flag("--steps A:B", "from A: to B [both]", {.take = {}}),
                    flag("--names LIST", "it's a list", {.take = {}, .is_list = true})}};
}

TEST(ZshCompletionTest, it_offers_verbs_flags_and_choices) {
  const std::string script = zsh_completion({a_painting_verb()});
  EXPECT_THAT(script, StartsWith("#compdef strobe\n"));
  EXPECT_THAT(script, HasSubstr("choices=('paint:paints - slowly')"));
  EXPECT_THAT(script, HasSubstr("    paint)\n      _arguments -s \\\n        --shade='["));
  EXPECT_THAT(script, HasSubstr(":S:(dark light)' \\\n"));
  EXPECT_THAT(script, HasSubstr("--detail'[detail]' --no-detail'[detail]' \\\n"));
}

TEST(ZshCompletionTest, what_the_shell_would_obey_is_quoted) {
  const std::string script = zsh_completion({a_verb_with_odd_flags()});
  EXPECT_THAT(script, HasSubstr("choices=('odd:it'\\''s odd')"));
  EXPECT_THAT(script, HasSubstr("'(-o --output)'{-o,--output=}'[write to FILE]:FILE:_files'"));
  EXPECT_THAT(script, HasSubstr("--steps='[from A]:A\\:B: '"));
  EXPECT_THAT(script, HasSubstr("\\*--names='[it'\\''s a list]:LIST: '"));
}

TEST(ZshCompletionTest, it_offers_actions_and_their_flags) {
  const std::string script = zsh_completion({a_verb_with_actions()});
  EXPECT_THAT(script, HasSubstr("choices=('build:builds' 'demolish:breaks it down')"));
  EXPECT_THAT(script, HasSubstr("    wall/build)\n"));
  EXPECT_THAT(script, HasSubstr("    wall/*)\n      _arguments -s \\\n        --shade="));
}

TEST(FishCompletionTest, it_offers_verbs_flags_and_choices) {
  const std::string script = fish_completion({a_painting_verb(), a_verb_with_odd_flags()});
  EXPECT_THAT(script, HasSubstr("-n '__strobe_has_no_verb' -a paint -d 'paints - slowly'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__strobe_is paint' -l shade -x -a 'dark light' -d 'a help"));
  EXPECT_THAT(script, HasSubstr("-n '__strobe_is paint' -l no-detail -d 'detail'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__strobe_is odd' -l output -s o -r -F -d 'write to FILE'\n"));
  EXPECT_THAT(script, HasSubstr("-a odd -d 'it'\\''s odd'\n"));
}

TEST(FishCompletionTest, it_offers_actions_and_their_flags) {
  const std::string script = fish_completion({a_verb_with_actions()});
  const std::string no_action = "'__strobe_is wall; and not __strobe_is wall build demolish'";
  EXPECT_THAT(script, HasSubstr("-n " + no_action + " -a demolish -d 'breaks it down'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__strobe_is wall build' -l shade"));
  EXPECT_THAT(script, HasSubstr("-n " + no_action + " -l shade"));  // a file: the usual action
  EXPECT_THAT(script, Not(HasSubstr("-n '__strobe_is wall demolish' -l shade")));
}

}  // namespace
}  // namespace strobe::cli
