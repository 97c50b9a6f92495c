#include "strobe/cli/bench_show_request.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "strobe/cli/bench_names.h"
#include "strobe/cli/suggestion.h"

namespace strobe::cli {
namespace {

using report::BenchChoice;
using report::BenchTableKind;

constexpr std::pair<std::string_view, BenchFormat> kFormats[] = {
    {"text", BenchFormat::kText}, {"markdown", BenchFormat::kMarkdown},
    {"csv", BenchFormat::kCsv},   {"tsv", BenchFormat::kTsv},
    {"json", BenchFormat::kJson}, {"html", BenchFormat::kHtml}};

constexpr BenchTableKind kAllTables[] = {
    BenchTableKind::kOverview,  BenchTableKind::kRelative, BenchTableKind::kOverhead,
    BenchTableKind::kBandwidth, BenchTableKind::kTimes,    BenchTableKind::kAccuracy,
    BenchTableKind::kRoofline,  BenchTableKind::kMemory,   BenchTableKind::kTraffic,
    BenchTableKind::kKernels,   BenchTableKind::kApi,      BenchTableKind::kFlags};
constexpr BenchTableKind kTablesOfTwo[] = {BenchTableKind::kOverview, BenchTableKind::kDevice};

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<void> read_files(const Arguments& arguments, BenchShowRequest& request) {
  if (arguments.positionals.empty()) {
    return bad_request("no run was given", "", "`strobe bench show run.json`");
  }
  if (arguments.positionals.size() > 2) {
    return bad_request(fmt::format("takes one file, or the runs of two devices, not {}",
                                   arguments.positionals.size()),
                       "strobe bench show",
                       "`strobe bench show a100.json rtx3090.json` shows one against the other");
  }
  for (const std::string& name : arguments.positionals) {
    request.files.emplace_back(name == "-" ? "/dev/stdin" : name);
  }
  return {};
}

Result<void> read_tables(const Arguments& arguments, bool are_two, BenchChoice& choice) {
  for (const std::string& name : arguments.list("table")) {
    if (name == "all") {
      const std::span<const BenchTableKind> all =
          are_two ? std::span<const BenchTableKind>(kTablesOfTwo) : kAllTables;
      choice.tables.assign(all.begin(), all.end());
      continue;
    }
    const auto kind = report::find_table(name);
    if (!kind) {
      std::vector<std::string_view> names = report::table_names();
      names.push_back("all");
      return not_one_of("--table", name, names);
    }
    choice.tables.push_back(*kind);
  }
  return {};
}

// What has no meaning where the second run is what the first is measured by.
Result<void> check_two_runs(const BenchShowRequest& request) {
  const std::string first = request.files[0].string();
  for (const BenchTableKind kind : request.choice.tables) {
    if (std::ranges::find(kTablesOfTwo, kind) != std::end(kTablesOfTwo)) continue;
    return bad_request(fmt::format("two runs have the tables overview and device, not '{}'",
                                   report::table_name(kind)),
                       "--table",
                       fmt::format("give one run: `strobe bench show {} --table {}`", first,
                                   report::table_name(kind)));
  }
  if (!request.choice.baseline.empty()) {
    return bad_request(
        "of two runs each provider is measured by itself in the second", "--baseline",
        "give one run, or the two in the other order; --contender chooses providers");
  }
  if (request.choice.is_net) {
    return bad_request("ratios of two runs are of what was measured", "--net",
                       fmt::format("give one run: `strobe bench show {} --net`", first));
  }
  return {};
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

Result<BenchShowRequest> read_bench_show_request(const Arguments& arguments) {
  BenchShowRequest request;
  STROBE_TRY_VOID(read_files(arguments, request));
  BenchChoice& choice = request.choice;
  const bool are_two = request.files.size() == 2;
  STROBE_TRY_VOID(read_tables(arguments, are_two, choice));
  choice.versions = arguments.list("version");
  choice.devices = arguments.list("device");
  choice.cases = arguments.list("case");
  choice.dtypes = arguments.list("dtype");
  choice.baseline = arguments.get("baseline");
  choice.contenders = arguments.list("contender");
  choice.missing = arguments.get("missing");
  choice.is_net = arguments.is_on("net");
  for (const std::string& text : arguments.list("shape")) {
    Result<bench::Shape> shape = bench::parse_shape(text);
    if (!shape) {
      Error error = std::move(shape).error();
      error.where = "--shape";
      return error;
    }
    choice.shapes.push_back(std::move(shape).value());
  }
  if (arguments.has("mode")) {
    STROBE_TRY(choice.mode, bench::parse_mode(arguments.get("mode")));
  }
  request.is_forced = arguments.is_on("force");
  if (are_two) STROBE_TRY_VOID(check_two_runs(request));
  for (const auto& [name, format] : kFormats) {
    if (name == arguments.get("format", "text")) request.format = format;
  }
  request.output = arguments.get("output");
  return request;
}

Result<BenchChoice> resolve(const BenchChoice& choice, const bench::RatioGrids& grids) {
  std::vector<std::string> versions, devices, cases, dtypes, baselines, contenders;
  for (const bench::RatioGrid& grid : grids.grids) {
    add_once(versions, grid.version);
    add_once(devices, grid.device);
    add_once(cases, grid.case_id);
    add_once(dtypes, grid.dtype);
    if (grid.metric != bench::GridMetric::kDeviceSpeedup) add_once(baselines, grid.baseline);
    add_once(contenders, grid.contender.substr(0, grid.contender.find('@')));
  }
  BenchChoice whole = choice;
  STROBE_TRY(whole.versions, resolve_names("--version", choice.versions, versions));
  STROBE_TRY(whole.devices, resolve_names("--device", choice.devices, devices));
  STROBE_TRY(whole.cases, resolve_names("--case", choice.cases, cases));
  if (!dtypes.empty()) {
    STROBE_TRY(whole.dtypes, resolve_names("--dtype", choice.dtypes, dtypes));
  }
  if (!choice.baseline.empty()) {
    STROBE_TRY(whole.baseline, resolve_name("--baseline", choice.baseline, baselines));
  }
  STROBE_TRY(whole.contenders, resolve_names("--contender", choice.contenders, contenders));
  return whole;
}

Result<BenchChoice> resolve(const BenchChoice& choice, const bench::BenchRun& run) {
  if (!choice.versions.empty()) {
    return bad_request("a run of strobe has no version", "--version",
                       "it chooses among tables of ratios in a CSV file");
  }
  std::vector<std::string> cases, dtypes;
  for (const bench::CellRecord& record : run.cells) {
    add_once(cases, record.cell.case_id);
    add_once(dtypes, std::string(bench::dtype_name(record.cell.dtype)));
  }
  const std::vector<std::string> providers = report::providers_of(run);
  BenchChoice whole = choice;
  whole.devices.clear();
  STROBE_TRY(const auto devices, resolve_names("--device", choice.devices, {run.header.device}));
  STROBE_TRY(whole.cases, resolve_names("--case", choice.cases, cases));
  STROBE_TRY(whole.dtypes, resolve_names("--dtype", choice.dtypes, dtypes));
  if (!choice.baseline.empty()) {
    STROBE_TRY(whole.baseline, resolve_name("--baseline", choice.baseline, providers));
  }
  STROBE_TRY(whole.contenders, resolve_names("--contender", choice.contenders, providers));
  return whole;
}

Result<BenchChoice> resolve(const BenchChoice& choice, const bench::TunedShapes& tuned) {
  const std::pair<std::string_view, bool> of_times[] = {{"--table", !choice.tables.empty()},
                                                        {"--version", !choice.versions.empty()},
                                                        {"--dtype", !choice.dtypes.empty()},
                                                        {"--baseline", !choice.baseline.empty()},
                                                        {"--contender", !choice.contenders.empty()},
                                                        {"--mode", choice.mode.has_value()},
                                                        {"--net", choice.is_net}};
  for (const auto& [flag, is_given] : of_times) {
    if (!is_given) continue;
    return bad_request("this file is what a tuner chose: one table, without times",
                       std::string(flag), "leave it out; --device, --case and --shape choose rows");
  }
  std::vector<std::string> devices, cases;
  for (const bench::TunedShape& one : tuned.shapes) {
    add_once(devices, one.device);
    add_once(cases, one.case_id);
  }
  BenchChoice whole = choice;
  STROBE_TRY(whole.devices, resolve_names("--device", choice.devices, devices));
  STROBE_TRY(whole.cases, resolve_names("--case", choice.cases, cases));
  return whole;
}

}  // namespace strobe::cli
