#include <algorithm>
#include <cmath>

#include "strobe/report/format.h"
#include "strobe/report/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::CommunicationTotals;
using analysis::MemoryPlace;
using analysis::MemoryRow;
using analysis::Summary;

std::int64_t exposed_ns(const CommunicationTotals& totals) {
  return totals.communication_ns - totals.overlap_ns;
}

Cell average_step(const Summary& summary) {
  if (summary.steps.empty()) return Absent{};
  std::int64_t steps_ns = 0;
  for (const auto& step : summary.steps) steps_ns += step.interval.length_ns();
  return Duration{steps_ns / static_cast<std::int64_t>(summary.steps.size())};
}

}  // namespace

Cell share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return Absent{};
  return Share{static_cast<double>(part) / static_cast<double>(whole)};
}

Cell average_of(const analysis::TimeStat& stat) {
  if (stat.calls == 0) return Absent{};
  return Duration{std::llround(stat.average_ns())};
}

Cell min_of(const analysis::TimeStat& stat) {
  if (stat.calls == 0) return Absent{};
  return Duration{stat.min_ns};
}

std::int64_t spans_ns(const std::vector<RankInput>& ranks) {
  std::int64_t sum_ns = 0;
  for (const RankInput& rank : ranks) sum_ns += rank.summary->extent.length_ns();
  return sum_ns;
}

std::string total_words(const Summary& summary) { return summary.has_steps ? "steps" : "trace"; }

void say_left_out(Table& table, const analysis::LeftOut& cut, const analysis::LeftOut& filtered,
                  bool by_device, const std::string& of_what) {
  table.rows_left_out = cut.rows + filtered.rows;
  if (cut.rows > 0) {
    table.left_out = count_text(cut.rows) + " more, " +
                     duration_text(by_device ? cut.device_ns : cut.host_ns) + " of " + of_what;
  }
  if (filtered.rows > 0) {
    if (cut.rows > 0) table.left_out += "; ";
    table.left_out += count_text(filtered.rows) + " not asked for by name, " +
                      duration_text(by_device ? filtered.device_ns : filtered.host_ns);
  }
}

Section communication_section(const SummaryInput& input) {
  const CommunicationTotals& totals = input.merged.communication;
  Section section;
  section.key = "communication";
  section.title = "Communication";
  section.lead =
      "Exposed is communication that no computation hides: the time better overlap could win.";
  section.table.columns = {
      {.key = "what", .header = "time in", .type = ColumnType::kText, .importance = 3},
      {.key = "time_ns", .header = "time", .type = ColumnType::kDuration, .importance = 3},
      {.key = "share",
       .header = "share of span",
       .type = ColumnType::kShare,
       .share_of = kSpanWords,
       .importance = 3},
      {.key = "bar", .header = "", .type = ColumnType::kBar, .importance = 0}};
  if (!input.merged.has_communication) return section;
  const auto add = [&](std::string what, std::int64_t time_ns) {
    const Cell share = share_of(time_ns, spans_ns(input.ranks));
    section.table.rows.push_back(
        {{Text{std::move(what)}, Duration{time_ns}, share, share}, RowStyle::kPlain});
  };
  add("communication", totals.communication_ns);
  add("communication, hidden", totals.overlap_ns);
  add("communication, exposed", exposed_ns(totals));
  add("computation", totals.computation_ns);
  return section;
}

Section rank_section(const SummaryInput& input) {
  Section section;
  section.key = "ranks";
  section.title = "Ranks";
  section.lead = "One trace per row. Ranks that wait for a slower one show it as communication.";
  section.table.columns = {
      {.key = "rank", .header = "rank", .type = ColumnType::kName, .importance = 9},
      {.key = "slices", .header = "slices", .type = ColumnType::kCount, .importance = 1},
      {.key = "steps", .header = "steps", .type = ColumnType::kCount, .importance = 3},
      {.key = "step_average_ns",
       .header = "average\nstep",
       .type = ColumnType::kDuration,
       .importance = 6},
      {.key = "span_ns", .header = "span", .type = ColumnType::kDuration, .importance = 2},
      {.key = "device_busy_share",
       .header = input.device + " busy\nof span",
       .type = ColumnType::kShare,
       .share_of = "span of the trace, averaged over its devices",
       .importance = 6},
      {.key = "computation_ns",
       .header = "compu-\ntation",
       .type = ColumnType::kDuration,
       .importance = 4},
      {.key = "communication_ns",
       .header = "communi-\ncation",
       .type = ColumnType::kDuration,
       .importance = 5},
      {.key = "exposed_communication_ns",
       .header = "exposed",
       .type = ColumnType::kDuration,
       .importance = 4},
      {.key = "top_finding", .header = "", .type = ColumnType::kText, .for_tools = true}};
  if (input.ranks.size() < 2) return section;
  for (Column& column : section.table.columns) {
    const bool is_about_it =
        column.key == "communication_ns" || column.key == "exposed_communication_ns";
    if (is_about_it) column.for_tools = !input.merged.has_communication;
  }
  for (const RankInput& rank : input.ranks) {
    const Summary& summary = *rank.summary;
    std::int64_t busy_ns = 0;
    for (const auto& device : summary.devices) busy_ns += device.busy_ns;
    const auto devices = static_cast<std::int64_t>(summary.devices.size());
    section.table.rows.push_back(
        {{Text{rank.name}, Count{rank.trace->slice_count()}, Count{summary.steps.size()},
          average_step(summary), Duration{summary.extent.length_ns()},
          share_of(busy_ns, devices * summary.extent.length_ns()),
          Duration{summary.communication.computation_ns},
          Duration{summary.communication.communication_ns},
          Duration{exposed_ns(summary.communication)},
          rank.findings.empty() ? Cell{Absent{}} : Cell{Text{rank.findings.front().code}}},
         RowStyle::kPlain});
  }
  return section;
}

Section memory_peak_section(const SummaryInput& input) {
  Section section;
  section.key = "memory_peaks";
  section.title = "Memory at its peak";
  section.lead =
      "Allocated is what tensors held; reserved is what the allocator took from the system.";
  section.table.columns = {
      {.key = "place", .header = "place", .type = ColumnType::kName},
      {.key = "peak_allocated_bytes", .header = "allocated", .type = ColumnType::kBytes},
      {.key = "peak_reserved_bytes", .header = "reserved", .type = ColumnType::kBytes}};
  // Not every trace carries the totals; a peak of nothing beside allocations is an unknown one.
  const auto peak = [](std::int64_t bytes) {
    return bytes == 0 ? Cell{Absent{}} : Cell{Bytes{bytes}};
  };
  for (const MemoryPlace& place : input.merged.memory) {
    if (place.peak_allocated_bytes == 0 && place.peak_reserved_bytes == 0) continue;
    section.table.rows.push_back(
        {{Text{place.place}, peak(place.peak_allocated_bytes), peak(place.peak_reserved_bytes)},
         RowStyle::kPlain});
  }
  return section;
}

Section memory_section(const SummaryInput& input) {
  Section section;
  section.key = "memory";
  section.title = "Memory by who asked for it";
  section.lead =
      "Kept is allocated minus freed under the same name; memory is often freed under another, so "
      "it is no leak by itself.";
  section.table.columns = {
      {.key = "name", .header = "in", .type = ColumnType::kName, .importance = 9},
      {.key = "place", .header = "place", .type = ColumnType::kName, .importance = 5},
      {.key = "pool", .header = "pool", .type = ColumnType::kText, .importance = 2},
      {.key = "allocations", .header = "allocs", .type = ColumnType::kCount, .importance = 3},
      {.key = "frees", .header = "frees", .type = ColumnType::kCount, .importance = 1},
      {.key = "allocated_bytes",
       .header = "allocated",
       .type = ColumnType::kBytes,
       .importance = 4},
      {.key = "freed_bytes", .header = "freed", .type = ColumnType::kBytes, .importance = 3},
      {.key = "kept_bytes", .header = "kept", .type = ColumnType::kBytes, .importance = 6}};
  analysis::LeftOut cut;
  analysis::LeftOut filtered;
  const auto add = [&](const MemoryPlace& place, const std::vector<MemoryRow>& rows,
                       const std::string& pool) {
    const auto shown = analysis::shown_rows_by_increase(rows, input.options);
    cut.rows += shown.cut.rows;
    filtered.rows += shown.filtered.rows;
    for (const MemoryRow* row : shown.rows) {
      section.table.rows.push_back(
          {{Text{row->name}, Text{place.place}, Text{pool}, Count{row->allocations},
            Count{row->frees}, Bytes{row->allocated_bytes}, Bytes{row->freed_bytes},
            Bytes{row->increased_bytes()}},
           RowStyle::kPlain});
    }
  };
  for (const MemoryPlace& place : input.merged.memory) {
    add(place, place.allocated, "allocated");
    add(place, place.reserved, "reserved");
  }
  const bool has_pools =
      std::any_of(input.merged.memory.begin(), input.merged.memory.end(),
                  [](const MemoryPlace& place) { return !place.reserved.empty(); });
  for (Column& column : section.table.columns) {
    if (column.key == "pool") column.for_tools = !has_pools;
  }
  section.table.rows_left_out = cut.rows + filtered.rows;
  if (section.table.rows_left_out > 0) {
    section.table.left_out = count_text(section.table.rows_left_out) + " more";
  }
  return section;
}

}  // namespace strobe::report
