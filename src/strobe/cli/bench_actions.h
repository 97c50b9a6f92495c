#pragma once

#include "strobe/cli/command.h"

// What `strobe bench` does, one file each; bench_command.cc lists them.
namespace strobe::cli {

Command bench_list_action();
Command bench_run_action();
Command bench_show_action();
Command bench_roof_action();
Command bench_tune_action();
Command bench_worker_action();  // the other end of `run`

}  // namespace strobe::cli
