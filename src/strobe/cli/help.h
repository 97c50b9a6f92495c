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
// `strobe help --completion bash`: a script for `source <(...)`.
std::string bash_completion(const std::vector<Command>& commands);

}  // namespace strobe::cli
