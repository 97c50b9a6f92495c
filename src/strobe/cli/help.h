#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/cli/command.h"

// All help texts about the verbs, generated from their specs.
namespace strobe::cli {

// `strobe help`: the purpose of strobe, and its verbs.
std::string overview_help(const std::vector<Command>& commands);
// `strobe VERB --help`: opens with the examples.
std::string command_help(const Command& command, int columns);
// `strobe help --man VERB`: a manual page, for `man -l -`.
std::string manual_page(const Command& command);
// `strobe help --man`: one page about all verbs, which is installed as strobe(1).
std::string manual(const std::vector<Command>& commands);
// `strobe help --completion bash`: a script for `source <(...)`, and to be installed.
std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

// The parts that these texts share.
std::string shown_name(const Flag& flag);   // "-o, --output FILE", "    --[no-]cache"
std::string usage(const Command& command);  // "strobe summary TRACE... [flags]"
std::vector<Flag> flags_in_every_verb();    // to be shown, not to be parsed
std::vector<Flag> common_flags_of(const Command& command);  // with what this one adds to them
std::vector<Flag> all_flags(const Command& command);        // its own, then those in every verb
std::string columns_help();                                 // what COLUMNS does

// Lines of at most this width: `front`, then the text, with its other lines indented.
std::string hanging_lines(std::string front, std::size_t indent, std::string_view text,
                          int columns);

struct ExitCode {
  int code;
  std::string_view meaning;
};
std::vector<ExitCode> exit_codes();

}  // namespace strobe::cli
