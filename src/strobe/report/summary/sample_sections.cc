#include <algorithm>
#include <cmath>
#include <tuple>

#include "strobe/compare/shown_unit.h"
#include "strobe/report/compare/metric_text.h"
#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::SampleRow;
using analysis::SampleTable;

struct SampleOfRank {
  const RankInput* rank;
  const SampleRow* row;
};

Cell value_cell(const std::optional<double>& value, const device::MetricInfo& info) {
  if (!value || !std::isfinite(*value)) return Absent{};
  return Measure{.text = metric_text(*value, info),
                 .value = compare::shown_unit(info).scale * *value};
}

std::string_view word_of(analysis::SampledThing thing) {
  switch (thing) {
    case analysis::SampledThing::kDevice:
      return "device";
    case analysis::SampledThing::kProcess:
      return "process";
    case analysis::SampledThing::kHost:
      break;
  }
  return "host";
}

Row sample_row(const SampleOfRank& one) {
  const SampleRow& row = *one.row;
  return {
      {Text{one.rank->name}, Text{std::string(word_of(row.thing))}, Text{row.owner},
       Text{row.label}, Text{row.metric}, text_or_absent(row.key), value_cell(row.mean, row.info),
       value_cell(row.min, row.info), value_cell(row.max, row.info),
       text_or_absent(std::string(compare::shown_unit(row.info).unit)), Count{row.samples}},
      RowStyle::kPlain};
}

std::string sample_lead(const SummaryInput& input) {
  std::string lead =
      "The mean is weighted by time: a value holds until the next sample; what is counted is shown "
      "as its rate. 100 % of CPU is one core, except for all cores together; waits of several "
      "threads add up.";
  if (input.is_part()) lead += " Of the whole recording, not only the chosen steps.";
  return lead;
}

// Ranks on one machine have the same samples of its devices and of the host.
bool is_repeated(const SampleRow& row, const std::vector<SampleOfRank>& known) {
  const auto values = [](const SampleRow& one) {
    return std::tie(one.owner, one.label, one.samples, one.mean, one.min, one.max);
  };
  return row.thing != analysis::SampledThing::kProcess &&
         std::ranges::any_of(known, [&](const SampleOfRank& one) {
           return one.row->thing == row.thing && values(*one.row) == values(row);
         });
}

struct ListedSamples {
  std::vector<SampleOfRank> rows;
  std::size_t repeated = 0;
};

// Metric by metric, so that ranks stand one below the other.
ListedSamples samples_of(const SummaryInput& input) {
  ListedSamples all;
  std::vector<std::size_t> next(input.ranks.size());
  const auto is_left = [&](std::size_t rank) {
    return next[rank] < input.ranks[rank].summary->samples.rows.size();
  };
  for (std::size_t first = 0; first < input.ranks.size(); ++first) {
    while (is_left(first)) {
      const SampleRow& like = input.ranks[first].summary->samples.rows[next[first]];
      for (std::size_t rank = first; rank < input.ranks.size(); ++rank) {
        if (!is_left(rank)) continue;
        const SampleRow& row = input.ranks[rank].summary->samples.rows[next[rank]];
        if (row.thing != like.thing || row.label != like.label) continue;
        ++next[rank];
        if (is_repeated(row, all.rows)) {
          ++all.repeated;
        } else {
          all.rows.push_back({&input.ranks[rank], &row});
        }
      }
    }
  }
  return all;
}

// What has no row of its own, counted over all ranks.
std::string note_of_rest(const SummaryInput& input) {
  std::size_t threads = 0;
  std::size_t processes = 0;
  for (const RankInput& rank : input.ranks) {
    threads += rank.summary->samples.threads;
    processes = std::max(processes, rank.summary->samples.other_processes);
  }
  std::string rest;
  if (threads > 0) rest = counted(threads, "thread");
  if (processes > 0) {
    rest += (rest.empty() ? "" : " and ") + counted(processes, "other process", "other processes");
  }
  if (rest.empty()) return {};
  return "Samples of " + rest + " are in these sums only; the timeline of `strobe serve` shows " +
         (threads + processes == 1 ? "it." : "each.");
}

}  // namespace

Section sample_section(const SummaryInput& input) {
  Section section;
  section.key = "samples";
  section.title = "Samples";
  section.lead = sample_lead(input);
  section.table.columns = {{.key = "rank",
                            .header = "rank",
                            .type = ColumnType::kName,
                            .importance = 8,
                            .for_tools = input.ranks.size() < 2,
                            .least_width = 8},
                           tool_column("thing", ColumnType::kText),
                           {"owner", "of", ColumnType::kName, 7},
                           {"label", "metric", ColumnType::kText, 9},
                           tool_column("metric", ColumnType::kText),
                           tool_column("key", ColumnType::kText),
                           {"mean", "mean", ColumnType::kNumber, 9},
                           {"min", "min", ColumnType::kNumber, 6},
                           {"max", "max", ColumnType::kNumber, 6},
                           tool_column("unit", ColumnType::kText),
                           {"samples", "samples", ColumnType::kCount, 2}};
  Table& table = section.table;
  std::size_t cut = 0;
  std::size_t filtered = 0;
  const ListedSamples listed = samples_of(input);
  for (const SampleOfRank& one : listed.rows) {
    const auto& keeps = input.options.keeps_name;
    if (keeps && !keeps(one.row->label) && !keeps(one.row->metric)) {
      ++filtered;
    } else if (input.options.top != 0 && table.rows.size() >= input.options.top) {
      ++cut;
    } else {
      table.rows.push_back(sample_row(one));
    }
  }
  table.rows_left_out = cut + filtered;
  if (table.rows.empty() && filtered > 0) {
    section.notes.push_back("No metric matches '" + input.options.filter +
                            "': " + counted(filtered, "name") + " left out.");
    return section;
  }
  if (cut > 0) table.left_out = count_text(cut) + " more" + how_to_see(cut);
  if (filtered > 0) {
    if (cut > 0) table.left_out += "; ";
    table.left_out += counted(filtered, "name") + " not matched by '" + input.options.filter + "'";
  }
  if (listed.repeated > 0) {
    section.notes.emplace_back(
        "Rows of a device or of the host that are equal in several ranks are shown once, for the "
        "first of them.");
  }
  if (const std::string note = note_of_rest(input); !note.empty() && !table.rows.empty()) {
    section.notes.push_back(note);
  }
  return section;
}

}  // namespace strobe::report
