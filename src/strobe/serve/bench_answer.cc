#include "strobe/serve/bench_answer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/judge/pair_table.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/cell_fields.h"
#include "strobe/serve/bench_values.h"

namespace strobe::serve {
namespace {

using bench::CellRecord;
using bench::DType;
using bench::TimeMode;

constexpr std::size_t kMostTables = 2000;
constexpr std::size_t kMostRemarks = 50;

void write_header(JsonWriter& json, const bench::RunHeader& header) {
  json.key("header").begin_object();
  json.member("run", header.run)
      .member("strobe", header.strobe_version)
      .member("device", header.device)
      .member("driver", header.driver)
      .member("started", header.started)
      .member("command_line", header.command_line);
  json.key("libraries").begin_object();
  for (const auto& [name, version] : header.libraries) json.member(name, version);
  json.end_object().key("device_facts").begin_object();
  for (const auto& [name, value] : header.device_facts) json.member(name, value);
  json.end_object().key("floors_us").begin_object();
  bench::for_each_field<bench::Floors>([&](const auto& field) {
    constexpr std::string_view kUnit = "_us";  // of the whole object
    member_or_null(json, field.name.substr(0, field.name.size() - kUnit.size()),
                   header.floors.*field.member);
  });
  json.end_object();
  write_roofs(json, header.roofs);
  json.key("method")
      .begin_object()
      .member("flush", header.method.flush)
      .member("stop", header.method.stop)
      .member("seed", header.method.seed)
      .member("is_held", header.method.hold != bench::Hold::kNone)
      .key("modes")
      .begin_array();
  for (const TimeMode mode : header.method.modes) json.value(mode_name(mode));
  json.end_array().end_object().end_object();
}

// A case in one type.
struct Section {
  std::string_view case_id;
  DType dtype = DType::kF32;
  std::size_t cells = 0;
  std::vector<std::string_view> providers = {};  // in the order in which they ran
  std::set<TimeMode> modes = {};
  std::set<bench::Shape> shapes = {};
  std::map<std::string_view, std::size_t> times = {};  // cells with one, by provider
};

std::vector<Section> sections_of(const bench::BenchRun& run) {
  std::vector<Section> sections;
  std::map<std::pair<std::string_view, DType>, std::size_t> places;
  for (const CellRecord& record : run.cells) {
    const auto [place, is_new] =
        places.try_emplace({record.cell.case_id, record.cell.dtype}, sections.size());
    if (is_new) sections.push_back({.case_id = record.cell.case_id, .dtype = record.cell.dtype});
    Section& section = sections[place->second];
    const std::string_view provider = record.cell.provider;
    if (std::ranges::find(section.providers, provider) == section.providers.end()) {
      section.providers.push_back(provider);
    }
    ++section.cells;
    section.shapes.insert(record.cell.shape);
    for (const auto& [mode, time] : record.times) section.modes.insert(mode);
    if (record.status == bench::CellStatus::kOk) ++section.times[provider];
  }
  return sections;
}

void write_section(JsonWriter& json, const Section& section) {
  const bench::CaseInfo* info = bench::find_case(section.case_id);
  json.begin_object()
      .member("case", section.case_id)
      .member("dtype", dtype_name(section.dtype))
      .key("definition");
  info != nullptr ? json.value(info->definition) : json.null();
  json.member("cells", section.cells).member("shapes", section.shapes.size());
  json.key("providers").begin_array();
  for (const std::string_view provider : section.providers) {
    const auto times = section.times.find(provider);
    json.begin_object()
        .member("name", provider)
        .member("ok", times == section.times.end() ? std::size_t{0} : times->second)
        .end_object();
  }
  json.end_array().key("times").begin_array();
  for (const TimeMode mode : section.modes) json.value(mode_name(mode));
  json.end_array().end_object();
}

void write_table(JsonWriter& json, const bench::RatioGrid& grid) {
  const auto with_value = std::ranges::count_if(
      grid.cells, [](const bench::GridCell& cell) { return cell.value.has_value(); });
  json.begin_object()
      .member("version", grid.version)
      .member("device", grid.device)
      .member("case", grid.case_id)
      .member("dtype", grid.dtype)
      .member("baseline", grid.baseline)
      .member("contender", grid.contender)
      .member("metric", metric_name(grid.metric))
      .member("cells", grid.cells.size())
      .member("with_value", with_value);
  write_mean(json, grid);
  json.member("is_flat", bench::find_flat_line(grid).has_value()).end_object();
}

}  // namespace

void write_bench_files(JsonWriter& json, std::span<const FoundBench> files) {
  json.key("bench_files").begin_array();
  for (const FoundBench& file : files) {
    json.begin_object()
        .member("file", file.name)
        .member("file_bytes", file.stamp.bytes)
        .member("modified_ms", file.stamp.modified_ns / 1'000'000)
        .member("kind", file.content == BenchContent::kRun ? "run" : "grids")
        .end_object();
  }
  json.end_array();
}

std::string bench_list_answer(std::span<const FoundBench> files) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_bench_files(json, files);
  json.end_object();
  return text;
}

std::string bench_run_answer(std::string_view name, const bench::BenchRun& run) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("file", name).member("kind", "run");
  write_header(json, run.header);
  json.key("sections").begin_array();
  for (const Section& section : sections_of(run)) write_section(json, section);
  json.end_array();
  write_texts(json, "remarks", run.remarks, kMostRemarks);
  json.end_object();
  return text;
}

std::string bench_grids_answer(std::string_view name, const bench::RatioGrids& grids,
                               std::span<const bench::IdentityCheck> identities) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("file", name).member("kind", "grids").member("rows", grids.rows);
  json.key("tables").begin_array();
  const std::size_t listed = std::min(grids.grids.size(), kMostTables);
  for (const bench::RatioGrid& grid : std::span(grids.grids).first(listed)) write_table(json, grid);
  json.end_array().member("tables_left_out", grids.grids.size() - listed);
  json.key("identities").begin_array();
  for (const bench::IdentityCheck& check : identities) {
    json.begin_object()
        .member("law", check.law)
        .member("cells", check.cells)
        .member("worst", check.worst)
        .member("worst_cell", check.worst_cell)
        .member("violated", check.violations.size());
    write_texts(json, "violations", check.violations, kMostRemarks);
    json.end_object();
  }
  json.end_array();
  write_alerts(json, alerts_of(identities));
  write_texts(json, "remarks", grids.remarks, kMostRemarks);
  json.end_object();
  return text;
}

}  // namespace strobe::serve
