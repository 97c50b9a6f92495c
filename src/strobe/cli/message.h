#pragma once

#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"

// The words strobe speaks on stderr.
namespace strobe::cli {

// "strobe: cannot read 'x': it is a directory\n  hint: ...\n"
std::string error_text(const Error& error, bool color = false);
// The same of something that is not an error: a gate that failed.
std::string failure_text(std::string_view what, std::string_view hint, bool color = false);
// "strobe: warning: ...\n"
std::string warning_text(std::string_view what, bool color = false);

// To stderr, whole.
void say(std::string_view text);
void warn(const Terminal& terminal, std::string_view what);  // silent with --quiet

}  // namespace strobe::cli
