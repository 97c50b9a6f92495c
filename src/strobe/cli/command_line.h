#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"

namespace strobe::cli {

struct Request {
  Command command;
  Arguments arguments;
  CommonOptions common;
};

// The verb, or the action of a verb, with this name: {"kernels", "show"}.
Result<Command> find_command(const std::vector<std::string>& words,
                             const std::vector<Command>& commands);

// Parses a command line. `words` are the arguments without the program's own name; `--help` and
// `--version` before any verb are the verbs of that name. For a verb with actions the first word
// selects one, or is the first word of the usual one.
Result<Request> parse_command_line(const std::vector<std::string>& words,
                                   const std::vector<Command>& commands);

// Gives every flag in `words` its value; the rest are positionals. `command` is the name for
// errors.
Result<Arguments> parse_flags(const std::vector<std::string>& words, std::string_view command,
                              const std::vector<Flag>& flags);

// The common flags, applied to this process.
Terminal terminal_for(const CommonOptions& options, const TerminalFacts& facts);

}  // namespace strobe::cli
