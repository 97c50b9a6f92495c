#include <fmt/format.h>

#include "strobe/base/version.h"
#include "strobe/cli/command.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

Result<void> run(const Arguments&, const Terminal&) {
  return write_to_stdout(fmt::format("strobe {}\n", kVersion));
}

}  // namespace

Command version_command() {
  return {.name = "version",
          .summary = "the version of strobe, for bug reports",
          .examples = {{"strobe version", "one line: name and version"},
                       {"strobe --version", "the same"}},
          .run = answered<run>};
}

}  // namespace strobe::cli
