#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/report/summary/run_report.h"
#include "tests/property/random_trace.h"

// No report says that a part is more than its whole, or that something took less than no time.
namespace strobe::report {
namespace {

using analysis::RandomTrace;
using analysis::Summary;
using analysis::SummaryOptions;

constexpr unsigned kReports = 60;

bool is_possible(const Cell& cell) {
  constexpr double kRounding = 1e-9;
  if (const Share* share = std::get_if<Share>(&cell)) {
    return share->share >= 0 && share->share <= 1 + kRounding;
  }
  const Duration* duration = std::get_if<Duration>(&cell);
  return duration == nullptr || duration->duration_ns >= 0;
}

std::string text_of(const Cell& cell) {
  if (const Share* share = std::get_if<Share>(&cell)) return std::to_string(share->share);
  return std::to_string(std::get<Duration>(cell).duration_ns);
}

// "phases.device_share 1.34 of GPU time launched in the steps", a line each.
std::string impossible_cells(const Document& document) {
  std::string text;
  for (const Section& section : document.sections) {
    for (const Row& row : section.table.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (is_possible(row.cells[i])) continue;
        const Column& column = section.table.columns[i];
        text += section.key + "." + column.key + " " + text_of(row.cells[i]) + " of " +
                column.share_of + "\n";
      }
    }
  }
  for (const analysis::Finding& finding : document.findings) {
    if (finding.share < 0 || finding.share > 1) text += finding.code + "\n";
  }
  return text;
}

// The report on random traces, one rank each.
Document document_of(const std::vector<Trace>& traces, const SummaryOptions& options = {}) {
  const ImportReport import;
  std::vector<RunTrace> run;
  std::vector<Summary> summaries;
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    run.push_back({"rank" + std::to_string(rank) + ".json", &traces[rank], &import});
    summaries.push_back(analysis::summarize(traces[rank], options));
  }
  analysis::TableOptions every_row;
  every_row.top = 0;
  return run_document(run, summaries, every_row, true);
}

std::vector<Trace> random_traces(unsigned seed, unsigned ranks) {
  std::vector<Trace> traces;
  while (traces.size() < ranks) {
    Trace trace = RandomTrace(seed, 0).trace();
    seed += kReports;
    if (trace.slice_count() > 0) traces.push_back(std::move(trace));
  }
  return traces;
}

TEST(ReportSharesTest, no_part_of_a_trace_is_above_its_whole) {
  for (unsigned seed = 0; seed < kReports; ++seed) {
    EXPECT_EQ(impossible_cells(document_of(random_traces(seed, 1))), "") << "seed " << seed;
  }
}

TEST(ReportSharesTest, no_part_of_a_run_is_above_its_whole) {
  for (unsigned seed = 0; seed < kReports; seed += 4) {
    EXPECT_EQ(impossible_cells(document_of(random_traces(seed, 3))), "") << "seed " << seed;
  }
}

TEST(ReportSharesTest, no_part_of_chosen_steps_is_above_their_whole) {
  for (unsigned seed = 0; seed < kReports; ++seed) {
    const std::vector<Trace> traces = random_traces(seed, 1);
    const std::size_t steps = analysis::list_steps(traces[0]).size();
    if (steps == 0) continue;
    SummaryOptions options;
    options.steps = analysis::StepSelection{0, steps / 2};
    EXPECT_EQ(impossible_cells(document_of(traces, options)), "") << "seed " << seed;
  }
}

// Ranks without steps count whole.
TEST(ReportSharesTest, no_part_of_the_chosen_steps_of_a_run_is_above_their_whole) {
  SummaryOptions options;
  options.steps = analysis::StepSelection{1, 2};
  for (unsigned seed = 0; seed < kReports; seed += 4) {
    EXPECT_EQ(impossible_cells(document_of(random_traces(seed, 3), options)), "")
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace strobe::report
