#pragma once

#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"

namespace strobe::cli {

struct Request {
  Command command;
  Arguments arguments;
  CommonOptions common;
};

// The verb, or the action of a verb, that these words name: {"kernels", "show"}.
Result<Command> find_command(const std::vector<std::string>& words,
                             const std::vector<Command>& commands);

// What the person asks for. `words` are the arguments without the program's own name; `--help` and
// `--version` in front of any verb are the verbs of that name. Of a verb with actions the first
// word chooses one, or is the first word of the usual one.
Result<Request> parse_command_line(const std::vector<std::string>& words,
                                   const std::vector<Command>& commands);

// Gives every flag among `words` its value; what is left are the positionals. `command` is the name
// for errors.
Result<Arguments> parse_flags(const std::vector<std::string>& words, std::string_view command,
                              const std::vector<Flag>& flags);

// The common flags, judged for this process.
Terminal terminal_for(const CommonOptions& options, const TerminalFacts& facts);

}  // namespace strobe::cli
