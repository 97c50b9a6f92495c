#include "strobe/report/fleet/job_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/error_text.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/fleet/replay_report.h"
#include "strobe/report/fleet/stragglers_section.h"

namespace strobe::report {
namespace {

using fleet::Job;
using fleet::RankOfJob;
using fleet::RankStep;
using fleet::Straggler;

constexpr std::size_t kNamedRanks = 6;

std::int64_t whole_ns(double value) { return std::llround(value); }

Count count_of(std::int64_t number) { return Count{static_cast<std::uint64_t>(number)}; }

// "ranks 1, 2, 5 and 9 more"
std::string numbered(std::string_view one, std::string_view many,
                     const std::vector<std::int32_t>& numbers) {
  const std::size_t named = std::min(numbers.size(), kNamedRanks);
  const std::string more =
      named < numbers.size() ? fmt::format(" and {} more", numbers.size() - named) : "";
  return fmt::format(
      "{} {}{}", plural(numbers.size(), one, many),
      fmt::join(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(named), ", "), more);
}

struct Sums {
  double total_ns = 0;
  double wait_ns = 0;
  double transfer_ns = 0;
};

Sums time_sums(const Job& job) {
  Sums sums;
  for (const RankOfJob& rank : job.ranks) {
    for (const RankStep& step : rank.steps) {
      sums.total_ns += static_cast<double>(step.end_ns - step.start_ns);
      sums.wait_ns += static_cast<double>(step.wait_ns);
      sums.transfer_ns += static_cast<double>(step.transfer_ns);
    }
  }
  return sums;
}

std::string share_sentence(const Job& job) {
  const Sums sums = time_sums(job);
  return fmt::format(
      "All ranks together: {} of their steps is own work, {} is waiting for others in collectives, "
      "{} is transfer.",
      percent_text(1 - (sums.wait_ns + sums.transfer_ns) / sums.total_ns),
      percent_text(sums.wait_ns / sums.total_ns), percent_text(sums.transfer_ns / sums.total_ns));
}

// Ranks whose traces have other steps than most: those of another time, or cut ones. "" if none.
std::string step_sentence(const Job& job) {
  std::map<std::size_t, std::size_t> counts;
  for (const RankOfJob& rank : job.ranks) ++counts[rank.recorded_steps];
  const auto usual = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
  if (job.steps.size() == usual->first) return {};
  std::vector<const RankOfJob*> others;
  for (const RankOfJob& rank : job.ranks) {
    const RankOfJob& first = job.ranks.front();
    const bool is_usual = rank.recorded_steps == usual->first &&
                          rank.first_step == first.first_step && rank.last_step == first.last_step;
    if (!is_usual && &rank != &first) others.push_back(&rank);
  }
  const RankOfJob& odd = others.empty() ? job.ranks.front() : *others.front();
  return fmt::format(
      "Only {} in the traces of all ranks: most traces have {}, that of rank {} has {}, {} to {}.",
      job.steps.size() == 1 ? "1 step is" : fmt::format("{} steps are", job.steps.size()),
      counted(usual->first, "step"), odd.rank, odd.recorded_steps, odd.first_step, odd.last_step);
}

// Ranks that meet nobody, though others meet. "" if none.
std::string stranger_sentence(const Job& job) {
  std::vector<std::int32_t> strangers;
  for (const RankOfJob& rank : job.ranks) {
    if (rank.exchanges == 0) strangers.push_back(rank.rank);
  }
  if (strangers.empty() || strangers.size() == job.ranks.size()) return {};
  const bool is_one = strangers.size() == 1;
  return fmt::format(
      "Nothing ties {} to the others: no exchange is shared with them. If {} of another job, leave "
      "{} out.",
      numbered("rank", "ranks", strangers), is_one ? "its trace is" : "their traces are",
      is_one ? "it" : "them");
}

// Ranks are counted from 0. "" if no number is left out.
std::string absent_sentence(const Job& job) {
  constexpr std::int32_t kMostRanks = 1 << 20;  // larger numbers count something else
  if (job.ranks.empty() || job.ranks.back().rank >= kMostRanks) return {};
  std::vector<std::int32_t> absent;
  std::int32_t next = 0;
  for (const RankOfJob& rank : job.ranks) {
    for (; next < rank.rank; ++next) absent.push_back(next);
    next = rank.rank + 1;
  }
  if (absent.empty()) return {};
  return fmt::format("There is no trace of {}: whether the others wait for {} is not known.",
                     numbered("rank", "ranks", absent), absent.size() == 1 ? "it" : "them");
}

std::vector<std::string> job_verdict(const Job& job, const std::vector<Straggler>& stragglers) {
  std::vector<std::string> sentences = straggler_sentences(job, stragglers);
  for (std::string sentence : {absent_sentence(job), stranger_sentence(job), step_sentence(job)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  if (job.ranks.size() > 1 && !job.steps.empty()) sentences.push_back(share_sentence(job));
  return sentences;
}

// Cuts the rows, which are in the order of their weight.
void cut_rows(Table& table, std::size_t top) {
  if (top == 0 || table.rows.size() <= top) return;
  table.rows_left_out = table.rows.size() - top;
  table.left_out = fmt::format("{} more", count_text(table.rows_left_out));
  table.rows.resize(top);
}

struct RankSums {
  const RankOfJob* rank = nullptr;
  RankStep sum;  // over all steps
};

std::vector<RankSums> rank_sums(const Job& job) {
  std::vector<RankSums> all;
  for (const RankOfJob& rank : job.ranks) {
    RankSums one{.rank = &rank, .sum = {}};
    for (const RankStep& step : rank.steps) {
      one.sum.end_ns += step.end_ns - step.start_ns;
      one.sum.compute_ns += step.compute_ns;
      one.sum.copy_ns += step.copy_ns;
      one.sum.input_ns += step.input_ns;
      one.sum.host_ns += step.host_ns;
      one.sum.wait_ns += step.wait_ns;
      one.sum.transfer_ns += step.transfer_ns;
      one.sum.collectives += step.collectives;
      one.sum.last += step.last;
      one.sum.caused_wait_ns += step.caused_wait_ns;
    }
    all.push_back(std::move(one));
  }
  return all;
}

Section job_ranks_section(const Job& job, std::size_t top) {
  Section section;
  section.key = "ranks";
  section.title = "Ranks";
  section.lead =
      "Means over the common steps: own work (device computes, copies; device idle while the host "
      "loads data, or does something else), waiting for others in collectives, and transfer; "
      "together they are the step. Caused: what all others waited, in a mean step, while this rank "
      "was the last.";
  section.table.columns = {{"rank", "rank", ColumnType::kCount, 11},
                           {"host", "host", ColumnType::kName, 4},
                           {"stage", "stage", ColumnType::kCount, 4},
                           {"step_ns", "step", ColumnType::kDuration, 8},
                           {"compute_ns", "computes", ColumnType::kDuration, 6},
                           {"copy_ns", "copies", ColumnType::kDuration, 2},
                           {"input_ns", "input", ColumnType::kDuration, 3},
                           {"host_ns", "host", ColumnType::kDuration, 6},
                           {"wait_ns", "waits", ColumnType::kDuration, 9},
                           {"transfer_ns", "transfers", ColumnType::kDuration, 7},
                           {"last", "last in", ColumnType::kCount, 7},
                           {"collectives", "of", ColumnType::kCount, 7},
                           {"caused_wait_ns", "caused\nwaiting", ColumnType::kDuration, 10},
                           tool_column("file", ColumnType::kName)};
  std::vector<RankSums> sums = rank_sums(job);
  if (top > 0 && sums.size() > top) {
    std::ranges::stable_sort(sums, std::ranges::greater{},
                             [](const RankSums& one) { return one.sum.caused_wait_ns; });
  }
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(job.steps.size()));
  const auto mean = [steps](std::int64_t sum_ns) { return Duration{sum_ns / steps}; };
  for (const RankSums& one : sums) {
    const RankOfJob& rank = *one.rank;
    section.table.rows.push_back(
        {{count_of(rank.rank), rank.host.empty() ? Cell(Absent{}) : Cell(Text{rank.host}),
          rank.stage ? Cell(count_of(*rank.stage)) : Cell(Absent{}), mean(one.sum.end_ns),
          mean(one.sum.compute_ns), mean(one.sum.copy_ns), mean(one.sum.input_ns),
          mean(one.sum.host_ns), mean(one.sum.wait_ns), mean(one.sum.transfer_ns),
          Count{one.sum.last}, Count{one.sum.collectives}, mean(one.sum.caused_wait_ns),
          Text{rank.file}}});
  }
  cut_rows(section.table, top);
  return section;
}

// Rank x step, as far as a page holds it.
Section caused_grid(const Job& job, std::size_t top) {
  constexpr std::size_t kStepsOnAPage = 10;
  Section section;
  section.key = "caused_waiting";
  section.title = "Who kept the others waiting, by step";
  section.is_remark = true;  // a CSV has the steps of the ranks
  section.table.is_grid = true;
  section.table.shows_losses = true;
  if (job.ranks.size() < 2 || job.steps.empty()) return section;
  const std::size_t steps = std::min(job.steps.size(), kStepsOnAPage);
  const std::size_t first = job.steps.size() - steps;
  section.lead = "How long each of the others waited, on average, while this rank was the last.";
  if (first > 0) {
    section.lead += fmt::format(" The last {} of {} steps.", steps, job.steps.size());
  }
  section.table.columns.push_back({"rank", "rank \\ step", ColumnType::kText, 10});
  const std::vector<std::int64_t> numbers = fleet::step_numbers(job);
  for (std::size_t step = first; step < job.steps.size(); ++step) {
    section.table.columns.push_back(
        {fmt::format("step_{}", step), std::to_string(numbers[step]), ColumnType::kNumber, 10});
  }
  std::vector<const RankOfJob*> rows;
  for (const RankOfJob& rank : job.ranks) rows.push_back(&rank);
  const auto worst = [](const RankOfJob* rank) {
    return std::ranges::max_element(rank->steps, {}, &RankStep::caused_wait_ns)->caused_wait_ns;
  };
  if (top > 0 && rows.size() > top) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, worst);
    section.table.rows_left_out = rows.size() - top;
    section.table.left_out = fmt::format("{} that cause less", counted(rows.size() - top, "rank"));
    rows.resize(top);
  }
  const auto others = static_cast<std::int64_t>(job.ranks.size()) - 1;
  for (const RankOfJob* rank : rows) {
    std::vector<Cell> cells = {Text{std::to_string(rank->rank)}};
    for (std::size_t step = first; step < job.steps.size(); ++step) {
      const RankStep& one = rank->steps[step];
      const std::int64_t each_ns = one.caused_wait_ns / others;
      const double share =
          static_cast<double>(each_ns) /
          static_cast<double>(std::max<std::int64_t>(1, one.end_ns - one.start_ns));
      cells.emplace_back(Measure{.text = duration_text(each_ns),
                                 .value = static_cast<double>(each_ns),
                                 .percent = 100 * (1 - std::clamp(share, 0.0, 1.0)),
                                 .title = fmt::format("rank {}, {}: {} of the step", rank->rank,
                                                      job.steps[step], percent_text(share))});
    }
    section.table.rows.push_back({std::move(cells)});
  }
  return section;
}

// Every rank in every step, for tools.
Section rank_step_section(const Job& job) {
  Section section;
  section.key = "rank_steps";
  section.title = "Ranks by step";
  section.for_tools = true;
  section.table.columns = {{"rank", "rank", ColumnType::kCount},
                           {"step", "step", ColumnType::kText},
                           {"start_ns", "start", ColumnType::kNumber},
                           {"step_ns", "step", ColumnType::kDuration},
                           {"compute_ns", "computes", ColumnType::kDuration},
                           {"copy_ns", "copies", ColumnType::kDuration},
                           {"input_ns", "input", ColumnType::kDuration},
                           {"host_ns", "host", ColumnType::kDuration},
                           {"wait_ns", "waits", ColumnType::kDuration},
                           {"transfer_ns", "transfers", ColumnType::kDuration},
                           {"lateness_ns", "lateness", ColumnType::kDuration},
                           {"caused_wait_ns", "caused", ColumnType::kDuration},
                           {"last", "last", ColumnType::kCount},
                           {"collectives", "collectives", ColumnType::kCount},
                           {"kernels", "kernels", ColumnType::kCount}};
  std::int64_t start_ns = job.ranks.front().steps.empty() ? 0 : INT64_MAX;
  for (const RankOfJob& rank : job.ranks) {
    for (const RankStep& step : rank.steps) start_ns = std::min(start_ns, step.start_ns);
  }
  for (const RankOfJob& rank : job.ranks) {
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      const RankStep& step = rank.steps[i];
      section.table.rows.push_back(
          {{count_of(rank.rank), Text{job.steps[i]}, Duration{step.start_ns - start_ns},
            Duration{step.end_ns - step.start_ns}, Duration{step.compute_ns},
            Duration{step.copy_ns}, Duration{step.input_ns}, Duration{step.host_ns},
            Duration{step.wait_ns}, Duration{step.transfer_ns}, Duration{step.lateness_ns},
            Duration{step.caused_wait_ns}, Count{step.last}, Count{step.collectives},
            Count{step.kernels}}});
    }
  }
  return section;
}

Section collective_section(const Job& job, std::size_t top) {
  Section section;
  section.key = "collectives";
  section.title = "Collectives, by kind and size";
  if (job.collectives.empty()) return section;
  section.lead =
      "Waiting and transfer of all ranks together. The bus bandwidth is that of the median "
      "transfer: what a link carries.";
  section.table.columns = {{"kind", "kind", ColumnType::kText, 10},
                           {"bytes", "bytes", ColumnType::kBytes, 8},
                           {"group", "group", ColumnType::kName, 5},
                           {"ranks", "ranks", ColumnType::kCount, 6},
                           {"matched", "matched", ColumnType::kCount, 7},
                           {"wait_ns", "waiting", ColumnType::kDuration, 9},
                           {"transfer_ns", "transfer", ColumnType::kDuration, 9},
                           {"median_transfer_ns", "median\ntransfer", ColumnType::kDuration, 6},
                           {"longest_transfer_ns", "longest", ColumnType::kDuration, 4},
                           {"bus_bytes_per_s", "bus\nbandwidth", ColumnType::kNumber, 6},
                           tool_column("runs_on", ColumnType::kText)};
  std::vector<const fleet::CollectiveRow*> rows;
  for (const fleet::CollectiveRow& row : job.collectives) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const fleet::CollectiveRow* row) {
    return row->wait_ns + row->transfer_ns;
  });
  for (const fleet::CollectiveRow* row : rows) {
    const double bus = row->bus_bytes_per_s();
    const Cell bandwidth =
        bus > 0
            ? Cell(Measure{.text = fmt::format("{}/s", bytes_text(whole_ns(bus))), .value = bus})
            : Cell(Absent{});
    section.table.rows.push_back(
        {{Text{row->kind},
          row->bytes > 0 ? Cell(Bytes{static_cast<std::int64_t>(row->bytes)}) : Cell(Absent{}),
          Text{row->group}, Count{row->ranks}, Count{row->matched}, Duration{row->wait_ns},
          Duration{row->transfer_ns}, Duration{row->median_transfer_ns},
          Duration{row->longest_transfer_ns}, bandwidth, Text{row->on_host ? "host" : "device"}}});
  }
  cut_rows(section.table, top);
  return section;
}

// One clock tells nothing.
Section clock_section(const Job& job, std::size_t top) {
  Section section;
  section.key = "clocks";
  section.title = "Clocks";
  if (job.clocks.hosts.size() < 2) return section;
  section.lead =
      "How far the clock of a host, or of a rank whose host is not known, is ahead of the first "
      "one's of its island, with the 95 % interval; exchanges tie the clocks of an island "
      "together.";
  section.table.columns = {{"host", "host", ColumnType::kName, 9},
                           {"ranks", "ranks", ColumnType::kText, 8},
                           {"island", "island", ColumnType::kCount, 3},
                           {"exchanges", "exchanges", ColumnType::kCount, 5},
                           {"offset_ns", "ahead by", ColumnType::kDuration, 10},
                           {"uncertainty_ns", "+-", ColumnType::kDuration, 9},
                           {"drift_ppm", "drift", ColumnType::kNumber, 7}};
  for (const fleet::HostClock& clock : job.clocks.hosts) {
    section.table.rows.push_back(
        {{clock.host.empty() ? Cell(Absent{}) : Cell(Text{clock.host}),
          Text{numbered("rank", "ranks", clock.ranks)}, Count{clock.island}, Count{clock.exchanges},
          Duration{clock.offset_ns}, Duration{clock.uncertainty_ns},
          Measure{.text = fmt::format("{:+.1f} ppm", clock.drift_ppm), .value = clock.drift_ppm}}});
  }
  cut_rows(section.table, top);
  return section;
}

Section mismatch_section(const Job& job, std::size_t top) {
  Section section;
  section.key = "mismatches";
  section.title = "Collectives that do not match";
  if (job.mismatches.empty()) return section;
  section.lead =
      "A job whose ranks disagree about their collectives hangs or computes nonsense, "
      "unless the traces are incomplete.";
  section.table.columns = {
      {"kind", "why", ColumnType::kText, 10},    {"exchange", "collective", ColumnType::kText, 8},
      {"group", "group", ColumnType::kName, 7},  {"ranks", "differ", ColumnType::kText, 9},
      {"calls", "calls", ColumnType::kCount, 9}, {"first", "the first", ColumnType::kText, 6}};
  for (const fleet::Mismatch& one : job.mismatches) {
    section.table.rows.push_back(
        {{Text{std::string(word_of(one.kind))}, Text{one.exchange}, Text{one.group},
          Text{numbered("rank", "ranks", one.ranks)}, Count{one.calls}, Text{one.first}}});
  }
  cut_rows(section.table, top);
  return section;
}

Section pipeline_section(const Result<fleet::Replay>& replay) {
  if (replay) return replay_section(*replay);
  Section section;
  section.key = "pipeline";
  section.title = "Its pipeline";
  section.points.push_back("Ranges name its operations, but they cannot be replayed: " +
                           error_sentence(replay.error()));
  return section;
}

Section unreadable_section(const std::vector<Error>& errors) {
  Section section;
  section.key = "unreadable";
  section.title = "Files that could not be read";
  for (const Error& error : errors) section.points.push_back(error_sentence(error));
  return section;
}

std::vector<Fact> run_facts(const Job& job, const JobPage& page) {
  std::vector<Fact> facts = {{"run", "run", Text{page.path}, {}, true},
                             {"ranks", "ranks", Count{job.ranks.size()}, {}, false},
                             {"steps", "common steps", Count{job.steps.size()}, {}, false}};
  const std::uint64_t matched =
      std::accumulate(job.collectives.begin(), job.collectives.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& row) { return sum + row.matched; });
  facts.push_back({"collectives", "collectives", Count{matched}, "matched over the ranks", false});
  return facts;
}

}  // namespace

Document job_document(const Job& job, const std::vector<Straggler>& stragglers,
                      const JobPage& page) {
  Document document;
  document.schema = "strobe.job";
  const std::string name = std::filesystem::path(page.path).lexically_normal().filename().string();
  document.title = fmt::format("strobe fleet: {}", name.empty() ? page.path : name);
  document.subject = page.path;
  document.headline =
      stragglers.empty() ? "No straggler" : "Held up by " + straggler_name(job, stragglers[0]);
  document.answer = stragglers.empty() ? "" : "slower";
  document.verdict = job_verdict(job, stragglers);
  if (page.replay && *page.replay) {
    std::ranges::move(replay_sentences(**page.replay), std::back_inserter(document.verdict));
  }
  document.facts = run_facts(job, page);
  const auto add = [&](Section section) {
    if (!page.for_tools) drop_empty_columns(section.table);  // tools rely on the names
    if (!is_empty(section)) document.sections.push_back(std::move(section));
  };
  add(stragglers_section(job, stragglers));
  add(job_ranks_section(job, page.top));
  if (!page.for_tools) add(caused_grid(job, page.top));
  if (page.replay) add(pipeline_section(*page.replay));
  add(collective_section(job, page.top));
  add(clock_section(job, page.top));
  add(mismatch_section(job, page.top));
  add(unreadable_section(page.unreadable));
  if (page.for_tools) add(rank_step_section(job));
  ToolData& verdict = document.data.emplace_back(ToolData{.key = "verdict", .items = {}});
  for (const std::string& sentence : document.verdict) {
    JsonWriter(verdict.items.emplace_back()).value(sentence);
  }
  return document;
}

}  // namespace strobe::report
