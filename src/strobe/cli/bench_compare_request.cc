#include "strobe/cli/bench_compare_request.h"

#include <fmt/format.h>

namespace strobe::cli {
namespace {

Result<double> read_band(std::string_view flag, std::string_view typed) {
  return fraction(flag, typed, 0.5);
}

}  // namespace

Flag time_mode_flag(std::optional<bench::TimeMode>& mode, std::string_view help) {
  using bench::TimeMode;
  static constexpr Word<TimeMode> kModes[] = {{"device", TimeMode::kDevice},
                                              {"graph", TimeMode::kGraph},
                                              {"call", TimeMode::kCall},
                                              {"activity", TimeMode::kActivity},
                                              {"cpu", TimeMode::kCpu}};
  return flag("--mode MODE", help, to_choice(mode, kModes));
}

std::vector<Flag> bench_compare_flags(BenchCompareRequest& request) {
  return {
      flag("--fail-on GATES",
           "exit with 1 if a cell is slower:3% (the 95 % interval of its change is above 3 %), "
           "slower "
           "(its verdict), faster:3%, or broken (it has a time in OLD but not in NEW)",
           to_each(request.gates, named(bench::parse_speed_gate))),
      flag("--band SHARE",
           "ignore changes smaller than this plus, for short calls, the spread of an empty kernel "
           "(default: 1%)",
           to(request.options.band, read_band)),
      time_mode_flag(request.options.mode,
                     "which time: device, graph, call, activity or cpu (default: for each cell the "
                     "first that both runs have)"),
      flag("--force",
           "compare runs that were measured with different caches (--l2) or queues (--profile, "
           "older versions)",
           to(request.options.is_forced)),
      flag("--top N", "rows, or all (default: 20 in text, all in other formats)",
           to_rows(request.typed_top)),
      format_flag(request.format),
      output_flag(request.output)};
}

Result<void> complete_bench_compare(BenchCompareRequest& request, const Arguments& arguments) {
  constexpr std::size_t kCellsOnAPage = 20;
  const auto& given = arguments.positionals;
  if (given.size() != 2) {
    return bad_request(fmt::format("`strobe bench compare` takes two runs, not {}", given.size()),
                       "", "`strobe bench compare old.json new.json`");
  }
  request.before = given[0];
  request.after = given[1];
  request.top = request.typed_top.value_or(request.format == Format::kText ? kCellsOnAPage : 0);
  return {};
}

}  // namespace strobe::cli
