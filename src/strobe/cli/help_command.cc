#include "strobe/cli/command.h"
#include "strobe/cli/command_line.h"
#include "strobe/cli/help.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

Result<std::string> asked_text(const Arguments& arguments, const Terminal& terminal) {
  if (arguments.has("completion")) return bash_completion(commands());
  const bool man = arguments.is_on("man");
  if (arguments.positionals.empty()) {
    if (!man) return overview_help(commands());
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "needs a verb",
                 .where = "--man",
                 .hint = "`strobe help --man summary | man -l -`"};
  }
  STROBE_TRY(const Command command, find_command(arguments.positionals, commands()));
  return man ? manual_page(command) : command_help(command, terminal.columns);
}

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(const std::string text, asked_text(arguments, terminal));
  return write_to_stdout(text);
}

}  // namespace

Command help_command() {
  return {
      .name = "help",
      .summary = "about strobe, or about one verb",
      .positionals = "[VERB [ACTION]]",
      .positionals_help = "the verb to explain, and what it is to do where it does several things",
      .examples = {{"strobe help summary", "what `strobe summary` can do"},
                   {"strobe help kernels show", "what `strobe kernels show` can do"},
                   {"strobe help --man summary | man -l -", "the same as a manual page"}},
      .flags = {{.name = "man", .help = "as a manual page, for `man -l -`"},
                {.name = "completion",
                 .kind = FlagKind::kValue,
                 .value = "SHELL",
                 .help = "a completion script: source <(strobe help --completion bash)",
                 .choices = {"bash"}}},
      .run = answered<run>};
}

}  // namespace strobe::cli
