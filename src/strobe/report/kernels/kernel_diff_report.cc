#include "strobe/report/kernels/kernel_diff_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/report/kernels/kernel_json.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/json_rows.h"
#include "strobe/report/render/render.h"

namespace strobe::report {
namespace {

using analysis::KernelSums;
using compare::KernelDiff;
using compare::KernelDiffRow;

std::size_t shown_rows(const KernelDiff& diff, const KernelDiffPage& page) {
  return page.top == 0 ? diff.rows.size() : std::min(page.top, diff.rows.size());
}

std::string signed_time(std::int64_t ns) { return (ns > 0 ? "+" : "") + duration_text(ns); }

Cell sum_time(const KernelSums& sums) {
  if (sums.launches == 0) return Absent{};
  return Duration{sums.latency_ns};
}

Cell mean_time(const KernelSums& sums) {
  if (sums.launches == 0) return Absent{};
  return time_cell(sums.mean_ns());
}

Cell text_if(bool has_text, std::string text) {
  if (!has_text) return Absent{};
  return Text{std::move(text)};
}

std::string ratio_interval_text(const KernelDiffRow& row) {
  if (!row.ratio_low || !row.ratio_high) return "-";
  return fmt::format("{:.2f} to {:.2f}", *row.ratio_low, *row.ratio_high);
}

// "31.0 -> 35.2 %": of a peak, on both sides.
Cell peak_change(std::optional<double> before, std::optional<double> after) {
  if (!before && !after) return Absent{};
  const auto text = [](std::optional<double> percent) {
    return percent ? fmt::format("{:.0f}", *percent) : std::string("-");
  };
  return Text{fmt::format("{} -> {} %", text(before), text(after))};
}

std::string launches_change(const KernelDiffRow& row) {
  if (row.before.launches == row.after.launches) return count_text(row.before.launches);
  return fmt::format("{} -> {}", count_text(row.before.launches), count_text(row.after.launches));
}

Fact kernel_side_fact(const std::string& key, const std::string& path, const KernelSums& sums) {
  return {key, key, Text{path},
          fmt::format("{}, {}", launches_text(sums.launches), duration_text(sums.latency_ns))};
}

std::vector<Column> diff_columns() {
  return {{.key = "kernel",
           .header = "kernel",
           .type = ColumnType::kName,
           .importance = 20,
           .least_width = 24},
          {.key = "verdict", .header = "verdict", .importance = 19, .least_width = 7},
          {"launches", "count", ColumnType::kNumber, 8},
          {"before_ns", "before", ColumnType::kDuration, 11},
          {"after_ns", "after", ColumnType::kDuration, 11},
          {"moved", "moved", ColumnType::kNumber, 18},
          {"mean_before_ns", "mean\nbefore", ColumnType::kDuration, 5},
          {"mean_after_ns", "mean\nafter", ColumnType::kDuration, 6},
          {"ratio", "ratio", ColumnType::kNumber, 17},
          {"interval", "95 %\ninterval", ColumnType::kNumber, 16},
          {"tensor", "Tensor", ColumnType::kNumber, 9},
          {"dram", "DRAM", ColumnType::kNumber, 9}};
}

Section row_section(const KernelDiff& diff, const KernelDiffPage& page) {
  Section section;
  section.key = "kernels";
  section.title = "Kernels";
  section.lead =
      "Sorted by change of total time. Ratio: mean latency after / before; an interval that "
      "contains 1 is no evidence of a change.";
  section.table.columns = diff_columns();
  const std::size_t shown = shown_rows(diff, page);
  std::int64_t rest_ns = 0;
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    const KernelDiffRow& row = diff.rows[i];
    if (i >= shown) {
      rest_ns += row.moved_ns;
      continue;
    }
    section.table.rows.push_back(
        {{Text{row.name}, Text{std::string(word_of(row.change))}, Text{launches_change(row)},
          sum_time(row.before), sum_time(row.after), Text{signed_time(row.moved_ns)},
          mean_time(row.before), mean_time(row.after),
          text_if(row.ratio.has_value(), ratio_text(row.ratio)),
          text_if(row.ratio_low.has_value(), ratio_interval_text(row)),
          peak_change(row.before.tensor_percent(), row.after.tensor_percent()),
          peak_change(row.before.dram_percent(), row.after.dram_percent())}});
  }
  for (std::size_t i = 0; i < shown; ++i) {
    if (!diff.rows[i].note.empty()) {
      section.notes.push_back(fmt::format("{}: {}.", diff.rows[i].name, diff.rows[i].note));
    }
  }
  section.table.rows_left_out = diff.rows.size() - shown;
  if (shown < diff.rows.size()) {
    section.table.left_out = fmt::format(
        "{} more, {} together", count_text(diff.rows.size() - shown), signed_time(rest_ns));
  }
  drop_empty_columns(section.table);
  return section;
}

void write_kernel_side(JsonWriter& json, std::string_view key, const KernelSums& sums,
                       const KernelSums& whole) {
  json.key(key).begin_object();
  write_sums(json, sums, whole);
  json.end_object();
}

}  // namespace

Document kernel_diff_document(const KernelDiff& diff, const KernelDiffPage& page) {
  Document document;
  document.schema = "strobe.kernels.diff";
  document.title = fmt::format("strobe kernels diff: {} against {}",
                               std::filesystem::path(page.after).filename().string(),
                               std::filesystem::path(page.before).filename().string());
  document.verdict = {diff.verdict + (diff.verdict.ends_with('.') ? "" : ".")};
  document.facts = {kernel_side_fact("before", page.before, diff.before),
                    kernel_side_fact("after", page.after, diff.after)};
  document.sections = {warning_section(diff.warnings), row_section(diff, page)};
  const auto says_nothing = [](const Section& section) {
    return section.table.rows.empty() && section.points.empty();
  };
  std::erase_if(document.sections, says_nothing);
  return document;
}

std::string kernel_diff_json(const KernelDiff& diff, const KernelDiffPage& page) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.kernels.diff").member("version", 1);
  json.member("before_path", page.before).member("after_path", page.after);
  json.member("verdict", diff.verdict);
  write_texts(json, "warnings", diff.warnings);
  write_kernel_side(json, "before", diff.before, diff.before);
  write_kernel_side(json, "after", diff.after, diff.after);
  const std::vector<KernelDiffRow> rows(
      diff.rows.begin(), diff.rows.begin() + static_cast<std::ptrdiff_t>(shown_rows(diff, page)));
  write_rows(json, "kernels", rows, [&](JsonWriter& one, const KernelDiffRow& row) {
    one.member("name", row.name)
        .member("family", row.family)
        .member("verdict", word_of(row.change))
        .member("moved_ns", row.moved_ns);
    write_optional(one, "ratio", row.ratio);
    write_optional(one, "ratio_low", row.ratio_low);
    write_optional(one, "ratio_high", row.ratio_high);
    write_optional(one, "typical_ratio", row.typical_ratio);
    write_optional(one, "p", row.p);
    write_optional(one, "q", row.q);
    one.member("note", row.note);
    write_kernel_side(one, "before", row.before, diff.before);
    write_kernel_side(one, "after", row.after, diff.after);
  });
  json.end_object();
  out += "\n";
  return out;
}

std::string kernel_diff_csv(const KernelDiff& diff, const KernelDiffPage& page) {
  std::string out =
      "name,family,verdict,launches_before,launches_after,before_ns,after_ns,moved_ns,"
      "mean_before_ns,mean_after_ns,ratio,ratio_low,ratio_high,p,tensor_percent_before,"
      "tensor_percent_after,dram_percent_before,dram_percent_after,note\n";
  const auto mean = [](const KernelSums& sums) {
    return sums.launches == 0 ? std::nullopt : std::optional(rounded(sums.mean_ns(), 3));
  };
  CsvWriter csv(out);
  for (std::size_t i = 0; i < shown_rows(diff, page); ++i) {
    const KernelDiffRow& row = diff.rows[i];
    csv.field(row.name)
        .field(row.family)
        .field(word_of(row.change))
        .field(row.before.launches)
        .field(row.after.launches)
        .field(row.before.latency_ns)
        .field(row.after.latency_ns)
        .field(row.moved_ns)
        .field(mean(row.before))
        .field(mean(row.after))
        .field(row.ratio)
        .field(row.ratio_low)
        .field(row.ratio_high)
        .field(row.p)
        .field(row.before.tensor_percent())
        .field(row.after.tensor_percent())
        .field(row.before.dram_percent())
        .field(row.after.dram_percent())
        .field(row.note)
        .end_row();
  }
  return out;
}

std::string kernel_diff_html(const KernelDiff& diff, const KernelDiffPage& page) {
  Document document = kernel_diff_document(diff, page);
  document.headline = fmt::format("{} -> {}", duration_text(diff.before.latency_ns),
                                  duration_text(diff.after.latency_ns));
  return document_html(document);
}

}  // namespace strobe::report
