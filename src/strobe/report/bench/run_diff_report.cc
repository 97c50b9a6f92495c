#include "strobe/report/bench/run_diff_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/csv.h"
#include "strobe/base/json_write.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using bench::CellDiff;
using bench::CellVerdict;
using bench::RatioSource;
using bench::RunDiff;

// The most interesting verdicts come first.
int place_of(CellVerdict verdict) {
  switch (verdict) {
    case CellVerdict::kSlower:
      return 0;
    case CellVerdict::kFaster:
      return 1;
    case CellVerdict::kNotComparable:
      return 2;
    case CellVerdict::kUnclear:
      return 3;
    default:
      return 4;
  }
}

std::vector<const CellDiff*> by_interest(const RunDiff& diff) {
  std::vector<const CellDiff*> cells;
  for (const CellDiff& cell : diff.cells) cells.push_back(&cell);
  std::ranges::stable_sort(cells, [](const CellDiff* a, const CellDiff* b) {
    if (a->verdict != b->verdict) return place_of(a->verdict) < place_of(b->verdict);
    if (a->is_broken != b->is_broken) return a->is_broken;
    return std::abs(std::log(a->ratio)) > std::abs(std::log(b->ratio));
  });
  return cells;
}

std::string change_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

std::string interval_text(const CellDiff& cell) {
  return fmt::format("{:+.1f} to {:+.1f} %", 100 * (cell.ratio_ci95[0] - 1),
                     100 * (cell.ratio_ci95[1] - 1));
}

Cell us_cell(double us) {
  if (!(us > 0)) return Absent{};
  return Duration{std::llround(us * 1000)};
}

std::string verdict_word(CellVerdict verdict) {
  return verdict == CellVerdict::kNotComparable ? "no ratio" : std::string(verdict_name(verdict));
}

// "2 slower, 1 faster, 97 same of 100 cells"
std::string counts_text(const RunDiff& diff) {
  std::vector<std::string> parts;
  for (const CellVerdict verdict :
       {CellVerdict::kSlower, CellVerdict::kFaster, CellVerdict::kUnclear,
        CellVerdict::kNotComparable, CellVerdict::kSame}) {
    const std::size_t count = diff.count(verdict);
    if (count == 0) continue;
    parts.push_back(fmt::format(
        "{} {}", count_text(count),
        verdict == CellVerdict::kNotComparable ? "without a ratio" : verdict_word(verdict)));
  }
  return fmt::format("{} of {}", fmt::join(parts, ", "), counted(diff.cells.size(), "cell"));
}

// The one cell to look at first.
std::string worst_text(const std::vector<const CellDiff*>& cells) {
  const CellDiff& first = *cells.front();
  if (first.verdict != CellVerdict::kSlower && first.verdict != CellVerdict::kFaster) return "";
  return fmt::format("; largest change: {}, {} ({})", cell_text(first.cell),
                     change_text(first.ratio), interval_text(first));
}

std::vector<std::string> verdict_sentences(const RunDiff& diff,
                                           const std::vector<const CellDiff*>& cells) {
  std::vector<std::string> sentences = {counts_text(diff) + worst_text(cells) + "."};
  if (diff.compared() > 1) {
    sentences.push_back(fmt::format("Geometric mean of {}: {}.", counted(diff.compared(), "ratio"),
                                    change_text(diff.mean_ratio())));
  }
  if (diff.only_before + diff.only_after > 0) {
    sentences.push_back(fmt::format("Only in the first run: {}. Only in the second: {}.",
                                    counted(diff.only_before, "cell"),
                                    counted(diff.only_after, "cell")));
  }
  if (diff.broken() > 0) {
    sentences.push_back(fmt::format("{} had a time before and {} none now.",
                                    counted(diff.broken(), "cell"),
                                    diff.broken() == 1 ? "has" : "have"));
  }
  return sentences;
}

std::vector<Column> columns() {
  return {{.key = "case",
           .header = "case",
           .type = ColumnType::kName,
           .importance = 20,
           .least_width = 16},
          {"shape", "shape", ColumnType::kNumber, 20},
          {.key = "dtype", .header = "type", .importance = 4, .least_width = 5},
          {.key = "provider",
           .header = "provider",
           .type = ColumnType::kName,
           .importance = 19,
           .least_width = 14},
          {.key = "verdict", .header = "verdict", .importance = 20, .least_width = 8},
          {"before_ns", "before", ColumnType::kDuration, 10},
          {"after_ns", "after", ColumnType::kDuration, 10},
          {"change", "change", ColumnType::kNumber, 18},
          {"interval", "95 % interval", ColumnType::kNumber, 17},
          {.key = "mode", .header = "time", .importance = 3, .least_width = 8},
          {.key = "source", .header = "from", .importance = 2, .least_width = 9}};
}

Row diff_row_of(const CellDiff& cell) {
  const bool has_ratio = cell.verdict != CellVerdict::kNotComparable;
  const auto known = [&](std::string text) -> Cell {
    if (!has_ratio) return Absent{};
    return Text{std::move(text)};
  };
  return {{Text{cell.cell.case_id}, Text{shape_text(cell.cell.shape)},
           Text{std::string(dtype_name(cell.cell.dtype))}, Text{cell.cell.provider},
           Text{verdict_word(cell.verdict)}, us_cell(cell.before_us), us_cell(cell.after_us),
           known(change_text(cell.ratio)),
           cell.source == bench::RatioSource::kNone ? Cell(Absent{}) : known(interval_text(cell)),
           known(std::string(mode_name(cell.mode))), known(std::string(source_name(cell.source)))}};
}

Section changed_cell_section(const RunDiff& diff, const std::vector<const CellDiff*>& cells,
                             std::size_t top) {
  Section section;
  section.key = "cells";
  section.title = "Cells";
  section.lead = fmt::format(
      "Change of the median. Same: the 95 % interval is inside ±{:.3g} %{}; slower, faster: "
      "outside.",
      100 * diff.band,
      diff.resolution_us > 0 ? fmt::format(" plus {:.2f} us of device time, the usual difference "
                                           "between two runs of the same call",
                                           diff.resolution_us)
                             : std::string());
  section.table.columns = columns();
  const std::size_t shown = top == 0 ? cells.size() : std::min(top, cells.size());
  for (std::size_t i = 0; i < shown; ++i) section.table.rows.push_back(diff_row_of(*cells[i]));
  section.table.rows_left_out = cells.size() - shown;
  if (shown < cells.size()) {
    section.table.left_out = fmt::format(
        "{} more, {} of them the same", count_text(cells.size() - shown),
        count_text(static_cast<std::uint64_t>(std::count_if(
            cells.begin() + static_cast<std::ptrdiff_t>(shown), cells.end(),
            [](const CellDiff* cell) { return cell->verdict == CellVerdict::kSame; }))));
  }
  return section;
}

Section reason_section(const std::vector<const CellDiff*>& cells, std::size_t top) {
  Section section;
  section.key = "reasons";
  section.title = "Why there is no verdict";
  section.is_remark = true;
  std::size_t left_out = 0;
  for (const CellDiff* cell : cells) {
    if (cell->reason.empty()) continue;
    if (top != 0 && section.points.size() >= top) {
      ++left_out;
      continue;
    }
    section.points.push_back(fmt::format("{}: {}{}{}.", cell_text(cell->cell), cell->reason,
                                         cell->advice.empty() ? "" : "; ", cell->advice));
  }
  if (left_out > 0) section.notes.push_back(fmt::format("{} more.", count_text(left_out)));
  return section;
}

bool has_ratio(const CellDiff& cell) { return cell.verdict != CellVerdict::kNotComparable; }

// As many digits as clocks and resampling can support, so that every machine prints the same.
double shown(double number) { return rounded_to_digits(number, 6); }
double shown_chance(double q) { return rounded_to_digits(q, 2); }

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

std::optional<double> shown_if(bool is_known, double value) {
  return is_known ? std::optional(shown(value)) : std::nullopt;
}

}  // namespace

std::string run_about(const bench::RunHeader& header) {
  std::vector<std::string> parts = {header.method.stop, header.method.flush};
  if (header.method.hold == bench::Hold::kNone) parts.emplace_back("hold:none");
  parts.push_back(header.device);
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

Document run_diff_document(const RunDiff& diff, const RunDiffPage& page) {
  const std::vector<const CellDiff*> cells = by_interest(diff);
  Document document;
  document.schema = "strobe.bench.compare";
  document.title = fmt::format("strobe bench compare: {} against {}",
                               std::filesystem::path(page.after).filename().string(),
                               std::filesystem::path(page.before).filename().string());
  document.verdict = verdict_sentences(diff, cells);
  document.facts = {{"before", "before", Text{page.before}, page.before_about},
                    {"after", "after", Text{page.after}, page.after_about}};
  document.sections = {warning_section(diff.warnings), changed_cell_section(diff, cells, page.top),
                       reason_section(cells, page.top)};
  std::erase_if(document.sections, [](const Section& section) { return is_empty(section); });
  return document;
}

std::string run_diff_html(const RunDiff& diff, const RunDiffPage& page) {
  const std::size_t slower = diff.count(CellVerdict::kSlower);
  const std::size_t faster = diff.count(CellVerdict::kFaster);
  Document document = run_diff_document(diff, page);
  document.headline = slower + faster == 0 ? std::string("No change")
                                           : fmt::format("{} slower, {} faster", slower, faster);
  return document_html(document);
}

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
  CsvWriter csv(out);
  for (const CellDiff& cell : diff.cells) {
    const bool is_known = has_ratio(cell);
    const bool has_interval = cell.source != RatioSource::kNone;
    csv.field(cell.cell.case_id)
        .field(shape_text(cell.cell.shape))
        .field(dtype_name(cell.cell.dtype))
        .field(cell.cell.provider)
        .field(verdict_name(cell.verdict))
        .field(is_known ? mode_name(cell.mode) : "")
        .field(shown_if(cell.before_us > 0, cell.before_us))
        .field(shown_if(cell.after_us > 0, cell.after_us))
        .field(shown_if(is_known, cell.ratio))
        .field(shown_if(has_interval, cell.ratio_ci95[0]))
        .field(shown_if(has_interval, cell.ratio_ci95[1]))
        .field(has_interval ? source_name(cell.source) : "")
        .field(shown_if(has_interval, shown_chance(cell.q)))
        .field(cell.is_broken ? "yes" : "")
        .field(cell.reason)
        .field(cell.advice)
        .end_row();
  }
  return out;
}

}  // namespace strobe::report
