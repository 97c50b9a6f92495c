#include <algorithm>

#include "strobe/cli/command.h"

namespace strobe::cli {

std::vector<Command> commands() {
  return {summary_command(), compare_command(), kernels_command(), bench_command(),  view_command(),
          serve_command(),   doctor_command(),  help_command(),    version_command()};
}

std::vector<Command> shown_actions(const Command& verb) {
  std::vector<Command> shown = verb.actions;
  std::erase_if(shown, [](const Command& action) { return action.is_hidden; });
  return shown;
}

std::string_view action_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::vector<Flag> common_flags() {
  return {
      {.name = "color",
       .kind = FlagKind::kValue,
       .value = "WHEN",
       .help = "colour the text: auto (only on a terminal, unless NO_COLOR is set), always, never",
       .choices = {"auto", "always", "never"}},
      {.name = "quiet",
       .help = "no progress, no warnings; errors are still printed",
       .letter = 'q'},
      {.name = "verbose", .help = "say on stderr where strobe's own time went", .letter = 'v'},
      {.name = "help", .help = "show this help", .letter = 'h'},
  };
}

Flag output_flag() {
  return {.name = "output",
          .kind = FlagKind::kValue,
          .value = "FILE",
          .help = "write the answer to FILE, whole or not at all (default: stdout)",
          .letter = 'o'};
}

std::vector<Flag> all_flags(const Command& command) {
  std::vector<Flag> flags = command.flags;
  std::ranges::copy(common_flags(), std::back_inserter(flags));
  return flags;
}

}  // namespace strobe::cli
