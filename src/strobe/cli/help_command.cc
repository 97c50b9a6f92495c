#include <algorithm>

#include "strobe/cli/command.h"
#include "strobe/cli/help.h"
#include "strobe/cli/output.h"
#include "strobe/cli/suggestion.h"

namespace strobe::cli {
namespace {

Result<Command> find_verb(const std::string& verb) {
  const std::vector<Command> all = commands();
  const auto found = std::ranges::find(all, verb, &Command::name);
  if (found != all.end()) return *found;
  std::vector<std::string_view> names;
  for (const Command& command : all) names.push_back(command.name);
  return not_one_of("help", verb, names);
}

Result<std::string> asked_text(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.has("completion")) return bash_completion(commands());
  const bool man = arguments.is_on("man");
  if (arguments.positionals.empty()) {
    if (!man) return overview_help(commands());
    return Error{.code = ErrorCode::kBadCommandLine,
                 .what = "needs a verb",
                 .where = "--man",
                 .hint = "`strobe help --man summary | man -l -`"};
  }
  STROBE_TRY(const Command command, find_verb(arguments.positionals[0]));
  return man ? manual_page(command) : command_help(command, terminal.columns);
}

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const std::string text, asked_text(arguments, terminal));
  return write_to_stdout(text);
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .summary = "about strobe, or about one verb",
          .positionals = "[VERB]",
          .positionals_help = "the verb to explain",
          .examples = {{"strobe help summary", "what `strobe summary` can do"},
                       {"strobe help --man summary | man -l -", "the same as a manual page"}},
          .flags = {{.name = "man", .help = "as a manual page, for `man -l -`"},
                    {.name = "completion",
                     .kind = FlagKind::kValue,
                     .value = "SHELL",
                     .help = "a completion script: source <(strobe help --completion bash)",
                     .choices = {"bash"}}},
          .run = run};
}

}  // namespace strobe::cli
