#include "strobe/cli/command.h"
#include "strobe/cli/diagnosis.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(arguments.get("output")));
  const Diagnosis diagnosis = diagnose();
  STROBE_TRY_VOID(output.write(arguments.get("format", "text") == "json"
                                   ? diagnosis_json(diagnosis)
                                   : diagnosis_text(diagnosis, terminal)));
  return output.commit();
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .summary = "what this machine offers strobe, what is missing and how to get it",
          .examples = {{"strobe doctor", "look at this machine"},
                       {"strobe doctor --format json", "the same for a script"}},
          .notes = {"Vendor libraries are opened, asked for their version and closed again. The "
                    "exit code is 0 whatever is missing."},
          .flags = {{.name = "format",
                     .kind = FlagKind::kValue,
                     .value = "FORMAT",
                     .help = "text (default) or json",
                     .choices = {"text", "json"}},
                    output_flag()},
          .run = answered<run>};
}

}  // namespace strobe::cli
