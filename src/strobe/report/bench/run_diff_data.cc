#include <cstdlib>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/report/bench/run_diff_report.h"
#include "strobe/report/compare/compare_json_rows.h"
#include "strobe/report/render/render_csv.h"

// The comparison for tools: every cell, in the order of the second run.
namespace strobe::report {
namespace {

using bench::CellDiff;
using bench::CellVerdict;
using bench::RatioSource;
using bench::RunDiff;

bool has_ratio(const CellDiff& cell) { return cell.verdict != CellVerdict::kNotComparable; }

// As many digits as a clock and a throw of dice can mean, and the same on every machine.
double shown(double number) { return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr); }
double shown_chance(double q) { return std::strtod(fmt::format("{:.2g}", q).c_str(), nullptr); }

void write_cell_diff(JsonWriter& json, const CellDiff& cell) {
  json.member("case", cell.cell.case_id);
  json.key("shape").begin_array();
  for (const std::int64_t axis : cell.cell.shape.dims) json.value(axis);
  json.end_array();
  json.member("dtype", dtype_name(cell.cell.dtype)).member("provider", cell.cell.provider);
  json.member("verdict", verdict_name(cell.verdict));
  if (has_ratio(cell)) json.member("mode", mode_name(cell.mode));
  if (cell.before_us > 0) json.member("before_us", cell.before_us);
  if (cell.after_us > 0) json.member("after_us", cell.after_us);
  if (has_ratio(cell)) json.member("ratio", shown(cell.ratio));
  if (has_ratio(cell)) json.member("band", shown(cell.band));
  if (cell.source != RatioSource::kNone) {
    json.key("ratio_ci95").begin_array();
    json.value(shown(cell.ratio_ci95[0])).value(shown(cell.ratio_ci95[1])).end_array();
    json.member("ci95_from", source_name(cell.source)).member("q", shown_chance(cell.q));
  }
  if (cell.is_broken) json.member("broken", true);
  if (!cell.reason.empty()) json.member("reason", cell.reason);
  if (!cell.advice.empty()) json.member("advice", cell.advice);
}

std::string field(bool is_known, double value) {
  return is_known ? fmt::format("{}", shown(value)) : std::string();
}

}  // namespace

std::string run_diff_json(const RunDiff& diff, const RunDiffPage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.bench.compare").member("version", 1);
  json.member("before_path", page.before).member("after_path", page.after);
  json.member("band", diff.band);
  if (diff.resolution_us > 0) json.member("resolution_us", diff.resolution_us);
  json.key("counts").begin_object();
  for (const CellVerdict verdict : {CellVerdict::kSlower, CellVerdict::kFaster, CellVerdict::kSame,
                                    CellVerdict::kUnclear, CellVerdict::kNotComparable}) {
    json.member(verdict_name(verdict), diff.count(verdict));
  }
  json.member("broken", diff.broken())
      .member("only_before", diff.only_before)
      .member("only_after", diff.only_after)
      .end_object();
  json.member("mean_ratio", shown(diff.mean_ratio()));
  write_texts(json, "warnings", diff.warnings);
  write_rows(json, "cells", diff.cells, write_cell_diff);
  json.end_object();
  out += "\n";
  return out;
}

std::string run_diff_csv(const RunDiff& diff) {
  std::string out =
      "case,shape,dtype,provider,verdict,mode,before_us,after_us,ratio,ratio_low,ratio_high,"
      "ci95_from,q,broken,reason,advice\n";
  for (const CellDiff& cell : diff.cells) {
    const bool is_known = has_ratio(cell);
    const bool has_interval = cell.source != RatioSource::kNone;
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(cell.cell.case_id),
        shape_text(cell.cell.shape), dtype_name(cell.cell.dtype), csv_field(cell.cell.provider),
        verdict_name(cell.verdict), is_known ? mode_name(cell.mode) : "",
        field(cell.before_us > 0, cell.before_us), field(cell.after_us > 0, cell.after_us),
        field(is_known, cell.ratio), field(has_interval, cell.ratio_ci95[0]),
        field(has_interval, cell.ratio_ci95[1]), has_interval ? source_name(cell.source) : "",
        field(has_interval, shown_chance(cell.q)), cell.is_broken ? "yes" : "",
        csv_field(cell.reason), csv_field(cell.advice));
  }
  return out;
}

}  // namespace strobe::report
