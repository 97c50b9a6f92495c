#include "strobe/cli/bench_actions.h"
#include "strobe/cli/command.h"

namespace strobe::cli {

Command bench_command() {
  return {
      .name = "bench",
      .summary = "fused against unfused kernels over grids of shapes, and what the tables hide",
      .examples = {{"strobe bench run --quick", "what fusion wins on this machine, in a minute"},
                   {"strobe bench run --case softmax --grid seed2d -o run.json",
                    "a hundred shapes, kept"},
                   {"strobe bench show run.json", "what a run found, table by table"},
                   {"strobe bench show run.json --table relative --baseline cuda-unfused "
                    "--contender cuda-fused",
                    "one provider against another, shape by shape"},
                   {"strobe bench show grids.csv --version v3 --device A100 --case softmax",
                    "tables that another harness left, with alarms"}},
      .notes =
          {"A run is the JSON file of `strobe bench run`, plain, .gz or .zst; tables of ratios "
           "are CSV with the columns version,device,case,baseline,contender,metric,dim0,dim1,"
           "value,status. Both are told by content."},
      .actions =
          {
              bench_list_action(),
              bench_run_action(),
              bench_show_action(),
              bench_roof_action(),
              bench_tune_action(),
              bench_worker_action(),
          },
      .usual_action = "show"};
}

}  // namespace strobe::cli
