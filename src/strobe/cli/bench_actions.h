#pragma once

#include "strobe/cli/command.h"

// What `strobe bench` does, one file each; bench_command.cc lists them.
namespace strobe::cli {

Command bench_show_action();

}  // namespace strobe::cli
