#include "strobe/report/bench/cell_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/report/render/format.h"

namespace strobe::report {

using bench::CellFlag;
using bench::CellStatus;
using bench::GridMetric;

std::string value_text(GridMetric metric, double value) {
  switch (metric) {
    case GridMetric::kRelativeOverhead:
      return fmt::format("{:.2E}", value);
    case GridMetric::kBandwidth:
      return fmt::format("{:.6f}", value);
    case GridMetric::kRelativePerformance:
    case GridMetric::kDeviceSpeedup:
      break;
  }
  return fmt::format("{:.2f}%", value);
}

std::string status_text(CellStatus status, std::string_view missing) {
  if (!missing.empty()) return std::string(missing);
  switch (status) {
    case CellStatus::kOom:
      return "OOM";
    case CellStatus::kOomPredicted:
      return "OOM*";
    case CellStatus::kError:
    case CellStatus::kTimeout:
      return "ERR";
    default:
      return "n/a";
  }
}

std::string with_noise_mark(std::string number, bool is_noisy) {
  if (is_noisy) number += '?';
  return number;
}

std::string noise_note(std::size_t noisy, std::size_t cells) {
  if (noisy == 0) return "";
  return fmt::format(
      "?: noisy, {} of {}: the time limit came before the interval of the median was narrow", noisy,
      counted(cells, "cell"));
}

Measure ratio_measure(const bench::RatioGrid& grid, const bench::GridCell& cell,
                      std::string_view missing) {
  if (!cell.value) {
    // If a table of another program gives a status, it is shown even if `missing` replaces others.
    const bool says_why = cell.shape.dims.empty() && cell.status != CellStatus::kMissing;
    return {.text = status_text(cell.status, says_why ? "" : missing),
            .mark = Mark::kMissing,
            .title = std::string(bench::status_name(cell.status))};
  }
  Measure shown = {.text = with_noise_mark(value_text(grid.metric, *cell.value), cell.is_noisy),
                   .value = cell.value};
  if (cell.ci95) {
    shown.title = fmt::format("95 % interval {} to {}", value_text(grid.metric, cell.ci95->at(0)),
                              value_text(grid.metric, cell.ci95->at(1)));
  }
  if (cell.is_noisy) shown.title = shown.title.empty() ? "noisy" : "noisy; " + shown.title;
  if (cell.status == CellStatus::kWrong) {
    shown.mark = Mark::kWrong;
    shown.title = "wrong values: left out of means";
  } else if (cell.ran_same_kernels) {
    shown.mark = Mark::kSame;
    shown.title = "both ran the same kernels: left out of means";
  }
  if (grid.metric == GridMetric::kRelativeOverhead) {
    shown.percent = 100 / *cell.value;
  } else if (grid.metric != GridMetric::kBandwidth) {
    shown.percent = *cell.value;
  }
  return shown;
}

std::string_view flag_text(CellFlag flag) {
  switch (flag) {
    case CellFlag::kSameKernels:
      return "same kernels";
    case CellFlag::kNearFloor:
      return "≈ floor";
    case CellFlag::kHostBound:
      return "host-bound";
    case CellFlag::kFellBack:
      return "fell back";
    case CellFlag::kMathDiffers:
      return "math-mode differs";
    case CellFlag::kNoisy:
    case CellFlag::kThrottled:
    case CellFlag::kUnrepeatable:
      break;
  }
  return bench::flag_name(flag);
}

std::vector<std::string> flag_notes(const std::vector<bench::CellRecord>& cells) {
  static constexpr std::pair<CellFlag, std::string_view> kMeanings[] = {
      {CellFlag::kThrottled, "more than a quarter of the samples had a clock far below the usual"},
      {CellFlag::kSameKernels,
       "both providers ran the same kernels (=), so a difference in time is noise"},
      {CellFlag::kNearFloor,
       "at most 1.5 times the time of an empty kernel, so mostly the cost of a launch"},
      {CellFlag::kHostBound, "a call takes over 20 % longer than its work on the device"},
      {CellFlag::kFellBack, "compiled, but only kernels of the baseline ran"},
      {CellFlag::kMathDiffers, "the two sides computed in different precision"},
      {CellFlag::kUnrepeatable, "another call gave other bits"}};
  std::vector<std::string> notes;
  for (const auto& [flag, meaning] : kMeanings) {
    const auto has_it = [wanted = flag](const bench::CellRecord& record) {
      return record.has(wanted);
    };
    if (!std::ranges::any_of(cells, has_it)) continue;
    notes.push_back(fmt::format("{}: {}", flag_text(flag), meaning));
  }
  return notes;
}

std::string note_text(std::string_view note) {
  constexpr std::string_view kEnqueue = "enqueue_us:";
  constexpr std::string_view kRecompiles = "recompiles:";
  if (note.starts_with(kEnqueue)) {
    return fmt::format("queueing a call takes {} us", note.substr(kEnqueue.size()));
  }
  if (!note.starts_with(kRecompiles)) return std::string(note);
  const auto times = parse_whole_number(note.substr(kRecompiles.size()));
  if (!times) return std::string(note);
  return *times == 0 ? ""
                     : fmt::format("compiled again {}",
                                   counted(static_cast<std::uint64_t>(*times), "time"));
}

Measure flags_cell(const bench::CellRecord& record) {
  std::vector<std::string_view> texts;
  std::vector<std::string_view> words;
  const auto add = [&](std::string_view text, std::string_view word) {
    texts.push_back(text);
    words.push_back(word);
  };
  if (record.status == CellStatus::kWrong) {
    const std::string_view wrong = bench::status_name(record.status);
    add(wrong, wrong);
  }
  for (const CellFlag flag : record.flags) add(flag_text(flag), bench::flag_name(flag));
  return {.text = fmt::format("{}", fmt::join(texts, ", ")),
          .word = fmt::format("{}", fmt::join(words, ", "))};
}

Section list_section(std::string key, std::string title, std::string lead, std::string corner,
                     const std::vector<ListColumn>& columns) {
  Section section;
  section.key = std::move(key);
  section.title = std::move(title);
  section.lead = std::move(lead);
  section.table.is_grid = true;
  section.table.columns.push_back({corner, corner});
  for (const ListColumn& column : columns) {
    section.table.columns.push_back(
        {column.key, column.header, column.is_text ? ColumnType::kText : ColumnType::kNumber});
  }
  return section;
}

Section cell_section(std::string key, std::string title, std::string lead,
                     const std::vector<ListColumn>& columns) {
  std::vector<ListColumn> all = {
      {"shape", "shape", true}, {"dtype", "type", true}, {"provider", "provider", true}};
  all.insert(all.end(), columns.begin(), columns.end());
  return list_section(std::move(key), std::move(title), std::move(lead), "case", all);
}

Row cell_row(const bench::Cell& cell, const std::vector<Cell>& more) {
  Row row = {{Text{cell.case_id}, Text{bench::shape_text(cell.shape)},
              Text{std::string(bench::dtype_name(cell.dtype))}, Text{cell.provider}}};
  row.cells.insert(row.cells.end(), more.begin(), more.end());
  return row;
}

Cell digits_cell(std::optional<double> value, int digits) {
  if (!value) return Absent{};
  return Measure{.text = fmt::format("{:.{}g}", *value, digits), .value = value};
}

Cell part_cell(std::optional<double> share) {
  if (!share) return Absent{};
  return Measure{.text = fmt::format("{:.1f} %", 100 * *share), .value = 100 * *share};
}

Cell amount_cell(std::optional<double> bytes) {
  if (!bytes) return Absent{};
  return Measure{.text = amount_text(*bytes), .value = bytes};
}

Cell micros_cell(std::optional<double> us) {
  if (!us) return Absent{};
  return Measure{.text = micros_text(*us), .value = us};
}

std::string micros_text(double us) {
  return duration_text(static_cast<std::int64_t>(std::llround(us * 1e3)));
}

std::string amount_text(double bytes) {
  return bytes_text(static_cast<std::int64_t>(std::llround(bytes)));
}

}  // namespace strobe::report
