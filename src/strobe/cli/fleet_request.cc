#include "strobe/cli/fleet_request.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace strobe::cli {
namespace {
constexpr std::int64_t kMostMissing = 1'000'000;
}

std::vector<Flag> fleet_flags(FleetRequest& request) {
  std::vector<Flag> flags = {
      flag("--top N",
           "rows per table, or all (default: 10 in text, all in Markdown and HTML); JSON and "
           "CSV always have all rows",
           to_rows(request.typed_top)),
      format_flag(request.format),
      output_flag(request.output),
      flag("--allow-missing N", "answer although N traces cannot be read; they are listed",
           to_number(request.allow_missing, 0, kMostMissing)),
      flag("--[no-]align",
           "estimate how the clocks of the ranks differ, from what they exchange, and correct them",
           to(request.align)),
      flag("--operations FILE",
           "also write the table of a pipeline's operations, if ranges of the traces name them",
           to(request.operations))};
  std::ranges::move(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

Result<void> complete_fleet(FleetRequest& request, const Arguments& arguments) {
  const std::vector<std::string> inputs = input_names(arguments.positionals);
  if (inputs.empty()) {
    return bad_request("no job was given", "", "`strobe fleet run/` or `strobe fleet ops.csv.gz`");
  }
  if (inputs.size() > 1) {
    return bad_request(fmt::format("`strobe fleet` takes one job, not {}", inputs.size()), "",
                       "`strobe fleet ops.csv.gz`");
  }
  request.input = inputs.front();
  request.top = request.typed_top.value_or(request.format == Format::kText ? kRowsOnAPage : 0);
  return {};
}

}  // namespace strobe::cli
