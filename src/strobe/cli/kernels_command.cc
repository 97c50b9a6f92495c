#include "strobe/cli/command.h"
#include "strobe/cli/kernels_actions.h"

namespace strobe::cli {

Command kernels_command() {
  return {
      .name = "kernels",
      .summary = "how near each kernel is to what the chip can do, and what to fuse",
      .examples = {{"strobe kernels report.ncu-rep", "what limits the kernels, what could be won"},
                   {"strobe kernels show kernels.csv --group family", "the same by family"},
                   {"strobe kernels roofline kernels.csv --chip h200",
                    "where they stand under the roofs"},
                   {"strobe kernels fuse kernels.csv", "which neighbours should be one kernel"},
                   {"strobe kernels diff before.csv after.csv", "what got faster, what got slower"},
                   {"strobe kernels convert report.ncu-rep --to csv -o kernels.csv",
                    "one line per launch"},
                   {"strobe kernels record -- python3 model.py",
                    "count them while a program runs, on an NVIDIA GPU"}},
      .notes = {"A list of kernels is a profiler's report (.ncu-rep), its CSV (rows, details or "
                "raw page), the table Kernel Latency Tensor DRAM, strobe's own JSON or recording, "
                "or a trace (times only); plain, .gz or .zst, told by content; - is stdin."},
      .actions = {kernels_show_action(), kernels_roofline_action(), kernels_fuse_action(),
                  kernels_diff_action(), kernels_convert_action(), kernels_record_action(),
                  kernels_metrics_action()},
      .usual_action = "show"};
}

}  // namespace strobe::cli
