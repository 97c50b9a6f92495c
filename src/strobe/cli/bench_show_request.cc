#include "strobe/cli/bench_show_request.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "strobe/cli/bench_compare_request.h"

namespace strobe::cli {
namespace {

using report::BenchChoice;
using report::BenchTableKind;

constexpr Word<Format> kTableFormats[] = {{"text", Format::kText}, {"markdown", Format::kMarkdown},
                                          {"csv", Format::kCsv},   {"tsv", Format::kTsv},
                                          {"json", Format::kJson}, {"html", Format::kHtml}};

constexpr BenchTableKind kAllTables[] = {
    BenchTableKind::kOverview,  BenchTableKind::kRelative, BenchTableKind::kOverhead,
    BenchTableKind::kBandwidth, BenchTableKind::kTimes,    BenchTableKind::kAccuracy,
    BenchTableKind::kRoofline,  BenchTableKind::kMemory,   BenchTableKind::kTraffic,
    BenchTableKind::kKernels,   BenchTableKind::kApi,      BenchTableKind::kFlags};
constexpr BenchTableKind kTablesOfTwo[] = {BenchTableKind::kOverview, BenchTableKind::kDevice};

Result<void> read_file_names(const Arguments& arguments, BenchShowRequest& request) {
  if (arguments.positionals.empty()) {
    return bad_request("no run was given", "", "`strobe bench show run.json`");
  }
  if (arguments.positionals.size() > 2) {
    return bad_request(fmt::format("`strobe bench show` takes one file or two runs, not {} files",
                                   arguments.positionals.size()),
                       "",
                       "`strobe bench show a100.json rtx3090.json` shows one against the other");
  }
  request.files = input_names(arguments.positionals);
  return {};
}

Result<void> read_tables(const std::vector<std::string>& typed, bool are_two, BenchChoice& choice) {
  for (const std::string& name : typed) {
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

// Refuses options that make no sense if the first run is measured against a second one.
Result<void> check_two_runs(const BenchShowRequest& request) {
  const std::string& first = request.files[0];
  for (const BenchTableKind kind : request.choice.tables) {
    if (std::ranges::find(kTablesOfTwo, kind) != std::end(kTablesOfTwo)) continue;
    return bad_request(fmt::format("two runs have only the tables overview and device, not '{}'",
                                   report::table_name(kind)),
                       "--table",
                       fmt::format("give one run: `strobe bench show {} --table {}`", first,
                                   report::table_name(kind)));
  }
  if (!request.choice.baseline.empty()) {
    return bad_request(
        "cannot be combined with two runs: each provider is compared with itself in the second run",
        "--baseline", "give one run, or swap the two; --contender chooses providers");
  }
  if (request.choice.is_net) {
    return bad_request("cannot be combined with two runs: their ratios use the times as measured",
                       "--net", fmt::format("give one run: `strobe bench show {} --net`", first));
  }
  return {};
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<Flag> bench_show_flags(BenchShowRequest& request) {
  BenchChoice& choice = request.choice;
  return {
      flag(
          "--table NAME",
          "overview (means per case), relative and overhead (against the baseline), device (two "
          "runs), attention (every pair of providers), bandwidth, times, accuracy, roofline, "
          "memory, traffic (counted bytes), kernels, api (runtime calls), flags (flagged cells) or "
          "all (default: those that the file has data for)",
          to(request.tables)),
      flag("--case CASE", "only these cases (default: all)", to(choice.cases)),
      flag("--baseline BASE",
           "the provider that is 100 % (default: the first whose name ends in eager, else in "
           "unfused, else the first)",
           to(choice.baseline)),
      flag("--contender NAME", "compare only these providers (default: all but the baseline)",
           to(choice.contenders)),
      flag("--dtype TYPE", "only f32, f16 or bf16 (default: all)", to(choice.dtypes)),
      flag("--shape SHAPE", "only these shapes of a run, such as 4096x4096 (default: all)",
           to_each(choice.shapes, named(bench::parse_shape))),
      time_mode_flag(choice.mode,
                     "which time of a run: device, graph, call, activity or cpu (default: device, "
                     "or cpu if the run has no device times)"),
      flag("--version NAME", "CSV: only these versions (default: all)", to(choice.versions)),
      flag("--device NAME", "CSV: only these devices (default: all)", to(choice.devices)),
      flag("--missing TEXT", "show this text instead of OOM, OOM*, ERR and n/a, such as '#VALUE!'",
           to(choice.missing)),
      flag("--net",
           "in the table of times, subtract the time of an empty event pair from device "
           "times",
           to(choice.is_net)),
      flag("--force",
           "show two runs even if they were measured with different caches (--l2) or queues "
           "(--profile)",
           to(request.is_forced)),
      flag("--format FORMAT",
           "text, markdown, csv (strobe can read it), tsv (tables only), json or html (default: "
           "what the ending of --output's FILE means: .txt, .md, .csv, .tsv, .json or .html; else "
           "text)",
           to_choice(request.format, kTableFormats)),
      output_flag(request.output)};
}

Result<void> complete_bench_show(BenchShowRequest& request, const Arguments& arguments) {
  STROBE_TRY_VOID(read_file_names(arguments, request));
  const bool are_two = request.files.size() == 2;
  STROBE_TRY_VOID(read_tables(request.tables, are_two, request.choice));
  return are_two ? check_two_runs(request) : Result<void>();
}

Result<BenchChoice> resolve(const BenchChoice& choice, const bench::RatioGrids& grids) {
  std::vector<std::string> versions, devices, cases, dtypes, baselines, contenders;
  for (const bench::RatioGrid& grid : grids.grids) {
    add_once(versions, grid.version);
    add_once(devices, grid.device);
    add_once(cases, grid.case_id);
    add_once(dtypes, grid.dtype);
    if (grid.metric != bench::GridMetric::kDeviceSpeedup) add_once(baselines, grid.baseline);
    add_once(contenders, grid.provider());
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
                       "--version chooses tables of ratios in a CSV file");
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
    return bad_request("this file lists what a tuner chose: one table, without times",
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
