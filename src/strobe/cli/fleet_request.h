#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"

namespace strobe::cli {

// The request of `strobe fleet`.
struct FleetRequest {
  std::string input;
  std::optional<std::size_t> typed_top;
  std::size_t top = 0;  // rows per table, 0: all
  Format format = Format::kText;
  std::string output;  // "": stdout
  // Of traces of ranks.
  std::size_t allow_missing = 0;  // files that cannot be read
  bool align = true;              // their clocks
  std::string operations;         // where the table of the pipeline's operations goes; "": nowhere
  LoadChoice load;
};

std::vector<Flag> fleet_flags(FleetRequest& request);
Result<void> complete_fleet(FleetRequest& request, const Arguments& arguments);

}  // namespace strobe::cli
