#include <algorithm>

#include "strobe/analysis/findings/finding.h"
#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::CommunicationTotals;
using analysis::MemoryPlace;
using analysis::MemoryRow;
using analysis::Summary;

std::int64_t exposed_ns(const CommunicationTotals& totals) {
  return totals.communication_ns - totals.overlap_ns;
}

struct PooledRow {
  const MemoryPlace* place;
  const MemoryRow* row;
  bool is_reserved;
};

// Without steps, the whole trace is the only one.
std::int64_t average_step_ns(const Summary& summary) {
  if (summary.steps.empty()) return 0;
  std::int64_t steps_ns = 0;
  const auto steps = analysis::steady_steps(summary);
  for (const auto& step : steps) steps_ns += step.interval.length_ns();
  return steps_ns / static_cast<std::int64_t>(steps.size());
}

Cell last_cell(const analysis::RankLateness& lateness) {
  return Measure{.text = count_text(lateness.last) + " of " + count_text(lateness.collectives),
                 .value = static_cast<double>(lateness.last)};
}

// The average step is the sum of its exposed communication and the rank's own time.
Row rank_row(const RankInput& rank, std::int64_t most_own_ns) {
  const Summary& summary = *rank.summary;
  const CommunicationTotals& communication = summary.communication;
  const analysis::DeviceUse use = analysis::device_use(summary);
  const std::int64_t step_ns = average_step_ns(summary);
  const std::int64_t own_ns = analysis::own_step_ns(summary);
  const Cell own_share = share_of(own_ns, most_own_ns);
  const auto& late = rank.lateness;
  return {
      {Text{rank.name}, Count{summary.slices}, Count{summary.has_steps ? summary.steps.size() : 0},
       summary.has_steps ? Cell{Duration{step_ns}} : Cell{Absent{}}, Duration{step_ns - own_ns},
       Duration{own_ns}, own_share, own_share, late ? last_cell(*late) : Cell{Absent{}},
       late ? Cell{Count{late->collectives}} : Cell{Absent{}},
       late ? Cell{Duration{late->others_waited_ns}} : Cell{Absent{}}, Duration{summary.span_ns},
       share_of(use.busy_ns, use.span_ns), Duration{communication.computation_ns},
       Duration{communication.communication_ns}, Duration{exposed_ns(communication)},
       Duration{communication.host_ns},
       rank.findings.empty() ? Cell{Absent{}} : Cell{Text{rank.findings.front().code}}},
      RowStyle::kPlain};
}

}  // namespace

void say_left_out(Section& section, const SummaryInput& input, const Omitted& cut,
                  const Omitted& filtered, const std::string& time, const std::string& noun) {
  Table& table = section.table;
  table.rows_left_out = cut.rows + filtered.rows;
  const auto time_of = [&](const Omitted& omitted) {
    return input.duration(omitted.time_ns) + " of " + time;
  };
  if (filtered.rows > 0 && table.rows.empty()) {
    section.notes.push_back("No " + noun + " matches '" + input.options.filter +
                            "': " + counted(filtered.rows, "name") + " left out, " +
                            time_of(filtered) + ".");
    return;
  }
  if (cut.rows > 0) {
    table.left_out = count_text(cut.rows) + " more, " + time_of(cut) + how_to_see(cut.rows);
  }
  if (filtered.rows > 0) {
    if (cut.rows > 0) table.left_out += "; ";
    table.left_out += counted(filtered.rows, "name") + " not matched by '" + input.options.filter +
                      "', " + time_of(filtered);
  }
}

void say_left_out(Section& section, const SummaryInput& input, const analysis::LeftOut& cut,
                  const analysis::LeftOut& filtered, const std::string& noun) {
  say_left_out(section, input, Omitted{cut.rows, cut.self_host_ns},
               Omitted{filtered.rows, filtered.self_host_ns}, "host self time", noun);
}

std::string how_to_see(std::size_t rows) {
  return rows == 1 ? " (--top all shows it)" : " (--top all shows them)";
}

Section communication_section(const SummaryInput& input) {
  const CommunicationTotals& totals = input.merged.communication;
  Section section;
  section.key = "communication";
  section.title = "Communication";
  section.lead = input.has_device
                     ? "Kernels on the " + input.device +
                           ", overlap removed. Exposed is the communication during which no other "
                           "kernel runs, waiting for other ranks included: at most the time that "
                           "better overlap could save. Collectives on the host are counted apart."
                     : "Collectives on the host, overlap removed.";
  section.table.columns = {{"what", "time in", ColumnType::kText, 4},
                           tool_column("word", ColumnType::kText),
                           {"calls", "calls", ColumnType::kCount, 1},
                           {"time_ns", "time", ColumnType::kDuration, 3},
                           {.key = "share",
                            .header = "share of " + span_word(input),
                            .type = ColumnType::kShare,
                            .importance = 3,
                            .share_of = span_words(input)},
                           whole_bar_column()};
  if (!input.merged.has_communication) return section;
  const auto add = [&](std::string what, std::string word, Cell calls, std::int64_t time_ns) {
    const Cell share = share_of(time_ns, spans_ns(input));
    section.table.rows.push_back({{Text{std::move(what)}, Text{std::move(word)}, std::move(calls),
                                   Duration{time_ns}, share, share},
                                  RowStyle::kPlain});
  };
  if (input.has_device) {
    add("communication on the " + input.device, "communication", Count{totals.device_calls},
        totals.communication_ns);
    add("of which exposed", "exposed", Absent{}, exposed_ns(totals));
    add("of which hidden behind kernels", "hidden", Absent{}, totals.overlap_ns);
    add("computation on the " + input.device, "computation", Absent{}, totals.computation_ns);
  }
  if (totals.host_calls > 0) {
    add("collectives on the host", "host", Count{totals.host_calls}, totals.host_ns);
  }
  return section;
}

Section rank_section(const SummaryInput& input) {
  const std::string step = input.step_word();
  const bool has_steps = input.merged.has_steps;
  const bool has_lateness = std::ranges::any_of(
      input.ranks, [](const RankInput& rank) { return rank.lateness.has_value(); });
  Section section;
  section.key = "ranks";
  section.title = "Ranks";
  section.lead = "Own time is " + (has_steps ? "the average " + step : "the trace") +
                 " without waiting in communication: minus exposed communication, idle time "
                 "included. Where ranks meet in collectives, the rank with the most own time keeps "
                 "the others waiting.";
  if (has_lateness) {
    section.lead +=
        " \"Last in collectives\" counts those that this rank reached last; the others waited for "
        "it there.";
  }
  section.table.columns = {
      {"rank", "rank", ColumnType::kName, 9},
      {"slices", "slices", ColumnType::kCount, 1},
      {.key = "steps",
       .header = step + "s",
       .type = ColumnType::kCount,
       .importance = 1,
       .for_tools = !has_steps},
      {.key = "step_average_ns",
       .header = "average\n" + step,
       .type = ColumnType::kDuration,
       .importance = 8,
       .for_tools = !has_steps},
      {.key = "exposed_step_ns",
       .header = has_steps ? "exposed\nper " + step : "exposed",
       .type = ColumnType::kDuration,
       .importance = 7,
       .for_tools = !input.merged.has_communication},
      {"own_step_ns", has_steps ? "own time\nper " + step : "own time", ColumnType::kDuration, 8},
      {.key = "own_step_share",
       .header = "of the\nslowest",
       .type = ColumnType::kShare,
       .importance = 3,
       .share_of = "own time of the rank with most of it"},
      whole_bar_column(),
      {.key = "last_in",
       .header = "last in\ncollectives",
       .type = ColumnType::kNumber,
       .importance = 6,
       .for_tools = !has_lateness},
      tool_column("collectives", ColumnType::kCount),
      {.key = "others_waited_ns",
       .header = "others\nwaited",
       .type = ColumnType::kDuration,
       .importance = 6,
       .for_tools = !has_lateness},
      {"span_ns", span_word(input), ColumnType::kDuration, 2},
      {.key = "device_busy_share",
       .header = input.device + " busy\nof " + span_word(input),
       .type = ColumnType::kShare,
       .importance = 5,
       .share_of = rank_span_words(input) + ", averaged over its devices",
       .for_tools = !input.has_device},
      {.key = "computation_ns",
       .header = "compu-\ntation",
       .type = ColumnType::kDuration,
       .importance = 2,
       .for_tools = !input.has_device},
      {.key = "communication_ns",
       .header = "communi-\ncation",
       .type = ColumnType::kDuration,
       .importance = 4,
       .for_tools = !input.merged.has_communication},
      tool_column("exposed_communication_ns", ColumnType::kDuration),
      tool_column("host_communication_ns", ColumnType::kDuration),
      tool_column("top_finding", ColumnType::kText)};
  section.for_tools = input.ranks.size() < 2;
  if (!section.for_tools) {
    section.notes.emplace_back(
        "`strobe fleet RUN` says who holds the others up, why, and what that costs.");
  }
  std::int64_t most_ns = 0;
  for (const RankInput& rank : input.ranks) {
    most_ns = std::max(most_ns, analysis::own_step_ns(*rank.summary));
  }
  for (const RankInput& rank : input.ranks) {
    section.table.rows.push_back(rank_row(rank, most_ns));
  }
  return section;
}

Section memory_peak_section(const SummaryInput& input) {
  Section section;
  section.key = "memory_peaks";
  section.title = "Memory at its peak";
  section.lead =
      "Allocated is the most that was in use at once; reserved is the most the allocator held.";
  section.table.columns = {{"place", "place", ColumnType::kName},
                           {"peak_allocated_bytes", "allocated", ColumnType::kBytes},
                           {"peak_reserved_bytes", "reserved", ColumnType::kBytes}};
  // Not every trace has the totals; a peak of zero despite allocations is unknown.
  const auto peak = [](std::int64_t bytes) {
    return bytes == 0 ? Cell{Absent{}} : Cell{Bytes{bytes}};
  };
  for (const MemoryPlace& place : input.merged.memory) {
    if (place.peak_allocated_bytes == 0 && place.peak_reserved_bytes == 0) continue;
    section.table.rows.push_back(
        {{Text{analysis::place_text(place.place)}, peak(place.peak_allocated_bytes),
          peak(place.peak_reserved_bytes)},
         RowStyle::kPlain});
  }
  return section;
}

Section memory_section(const SummaryInput& input) {
  Section section;
  section.key = "memory";
  section.title = "Memory by allocating code";
  section.lead =
      "Allocated adds up every allocation under the name, so memory used again counts again. Kept "
      "is what was not freed under the same name; it is often freed under another, so it is not "
      "always a leak.";
  section.table.columns = {{"name", "allocated by", ColumnType::kName, 9},
                           {"place", "place", ColumnType::kName, 5},
                           {"pool", "pool", ColumnType::kText, 2},
                           {"allocations", "allocs", ColumnType::kCount, 3},
                           {"allocated_bytes", "allocated", ColumnType::kBytes, 6},
                           {"frees", "frees", ColumnType::kCount, 1},
                           {"freed_bytes", "freed", ColumnType::kBytes, 3},
                           {"kept_bytes", "kept", ColumnType::kBytes, 4}};
  std::vector<PooledRow> rows;
  for (const MemoryPlace& place : input.merged.memory) {
    for (const MemoryRow& row : place.allocated) rows.push_back({&place, &row, false});
    for (const MemoryRow& row : place.reserved) rows.push_back({&place, &row, true});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PooledRow& a, const PooledRow& b) {
    return std::pair(b.is_reserved, a.row->allocated_bytes) >
           std::pair(a.is_reserved, b.row->allocated_bytes);
  });
  std::size_t filtered = 0;
  std::size_t cut = 0;
  std::int64_t cut_bytes = 0;
  for (const auto& [place, row, is_reserved] : rows) {
    if (input.options.keeps_name && !input.options.keeps_name(row->name)) {
      ++filtered;
    } else if (input.options.top != 0 && section.table.rows.size() >= input.options.top) {
      ++cut;
      cut_bytes += is_reserved ? 0 : row->allocated_bytes;
    } else {
      section.table.rows.push_back(
          {{Text{row->name}, Text{analysis::place_text(place->place)},
            Text{is_reserved ? "reserved" : "allocated"}, Count{row->allocations},
            Bytes{row->allocated_bytes}, Count{row->frees}, Bytes{row->freed_bytes},
            Bytes{row->increased_bytes()}},
           RowStyle::kPlain});
    }
  }
  const bool has_pools =
      std::any_of(input.merged.memory.begin(), input.merged.memory.end(),
                  [](const MemoryPlace& place) { return !place.reserved.empty(); });
  for (Column& column : section.table.columns) {
    if (column.key == "pool") column.for_tools = !has_pools;
  }
  section.table.rows_left_out = cut + filtered;
  if (section.table.rows.empty() && filtered > 0) {
    section.notes.push_back("No name matches '" + input.options.filter +
                            "': " + counted(filtered, "name") + " left out.");
    return section;
  }
  if (cut > 0) {
    section.table.left_out =
        count_text(cut) + " more, " + bytes_text(cut_bytes) + " allocated" + how_to_see(cut);
  }
  if (filtered > 0) {
    if (cut > 0) section.table.left_out += "; ";
    section.table.left_out +=
        counted(filtered, "name") + " not matched by '" + input.options.filter + "'";
  }
  return section;
}

}  // namespace strobe::report
