#include "strobe/cli/bench_show_request.h"

#include <algorithm>

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
    BenchTableKind::kBandwidth, BenchTableKind::kTimes,    BenchTableKind::kRoofline,
    BenchTableKind::kMemory,    BenchTableKind::kTraffic,  BenchTableKind::kKernels,
    BenchTableKind::kApi,       BenchTableKind::kFlags};

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kBadCommandLine,
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

Result<void> read_tables(const Arguments& arguments, BenchChoice& choice) {
  for (const std::string& name : arguments.list("table")) {
    if (name == "all") {
      choice.tables.assign(std::begin(kAllTables), std::end(kAllTables));
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

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

Result<BenchShowRequest> read_bench_show_request(const Arguments& arguments) {
  BenchShowRequest request;
  STROBE_TRY_VOID(read_files(arguments, request));
  BenchChoice& choice = request.choice;
  STROBE_TRY_VOID(read_tables(arguments, choice));
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

}  // namespace strobe::cli
