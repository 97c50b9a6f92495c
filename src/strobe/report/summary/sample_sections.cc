#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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
  return {{Text{one.rank->name}, Text{std::string(word_of(row.thing))}, Text{row.owner},
           Text{row.label}, Text{row.metric}, text_or_absent(row.key),
           value_cell(row.mean, row.info), value_cell(row.steady_mean, row.info),
           value_cell(row.min, row.info), value_cell(row.max, row.info),
           text_or_absent(std::string(compare::shown_unit(row.info).unit)), Count{row.samples}},
          RowStyle::kPlain};
}

std::string sample_lead(const SummaryInput& input) {
  std::string lead =
      "The mean is weighted by time: a value holds until the next sample; what is counted is shown "
      "as its rate. 100 % of CPU is one core, except for all cores together; waits of several "
      "threads add up.";
  if (input.has_start_up()) lead += " Steady is the time after the start-up.";
  if (input.is_part()) lead += " Of the whole recording, not only the chosen steps.";
  return lead;
}

// Metric by metric, so that ranks stand one below the other. What a rank has several times, of two
// devices say, stays in the rank's order.
std::vector<std::vector<SampleOfRank>> samples_by_metric(const SummaryInput& input) {
  using Metric = std::pair<analysis::SampledThing, std::string_view>;
  std::vector<std::vector<SampleOfRank>> groups;
  std::map<std::pair<Metric, std::size_t>, std::size_t> places;
  for (const RankInput& rank : input.ranks) {
    std::map<Metric, std::size_t> seen;
    for (const SampleRow& row : rank.summary->samples.rows) {
      const Metric metric{row.thing, row.label};
      const auto [place, is_new] = places.try_emplace({metric, seen[metric]++}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back({&rank, &row});
    }
  }
  return groups;
}

auto values_of(const SampleRow& row) {
  return std::tie(row.thing, row.owner, row.label, row.samples, row.mean, row.min, row.max);
}

struct ListedSamples {
  std::vector<SampleOfRank> rows;
  std::size_t repeated = 0;
};

// Ranks on one machine have the same samples of its devices and of the host.
ListedSamples samples_of(const SummaryInput& input) {
  ListedSamples all;
  std::set<decltype(values_of(std::declval<const SampleRow&>()))> known;
  for (const std::vector<SampleOfRank>& group : samples_by_metric(input)) {
    for (const SampleOfRank& one : group) {
      const bool is_of_process = one.row->thing == analysis::SampledThing::kProcess;
      if (is_of_process || known.insert(values_of(*one.row)).second) {
        all.rows.push_back(one);
      } else {
        ++all.repeated;
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
  const bool is_one = threads + processes == 1;
  return rest + (is_one ? " was" : " were") + " sampled too and " + (is_one ? "has" : "have") +
         " no row here; the timeline of `strobe serve` shows " + (is_one ? "it." : "them.");
}

}  // namespace

Section sample_section(const SummaryInput& input) {
  Section section;
  section.key = "samples";
  section.title = "Samples";
  section.lead = sample_lead(input);
  section.table.columns = {rank_column(input),
                           tool_column("thing", ColumnType::kText),
                           {"owner", "of", ColumnType::kName, 7},
                           {"label", "metric", ColumnType::kText, 9},
                           tool_column("metric", ColumnType::kText),
                           tool_column("key", ColumnType::kText),
                           {"mean", "mean", ColumnType::kNumber, 9},
                           {.key = "steady_mean",
                            .header = "mean,\nsteady",
                            .type = ColumnType::kNumber,
                            .importance = 8,
                            .for_tools = !input.has_start_up()},
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
