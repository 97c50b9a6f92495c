#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/tables/table_order.h"
#include "strobe/report/render/format.h"
#include "strobe/report/summary/summary_report.h"

// The sections of a summary document, one function each. A section without rows is not shown.
namespace strobe::report {

struct SummaryInput {
  const std::vector<RankInput>& ranks;
  const analysis::Summary& merged;
  const analysis::TableOptions& options;
  std::string device;       // what people call it: "GPU"
  bool has_device = false;  // any work on one; otherwise the word has no meaning

  bool shows_all_views() const { return options.views == analysis::ViewSet::all(); }
  std::optional<analysis::TimeUnit> unit() const {
    return options.one_unit ? std::optional(options.unit) : std::nullopt;
  }
  std::string duration(std::int64_t duration_ns) const {
    return duration_text(duration_ns, unit());
  }
  bool has_start_up() const { return merged.steady != nullptr; }
  // Only some steps were chosen.
  bool is_part() const;
  // The steps were found, not marked.
  bool has_cycles() const;
  std::string step_word() const { return has_cycles() ? "cycle" : "step"; }
};

// Of which rank a row is; for tools only if there is one.
inline Column rank_column(const SummaryInput& input) {
  return {.key = "rank",
          .header = "rank",
          .type = ColumnType::kName,
          .importance = 8,
          .for_tools = input.ranks.size() < 2,
          .least_width = 8};
}

Section step_section(const SummaryInput& input);   // the split of the average step, or of the trace
Section steps_section(const SummaryInput& input);  // every step
Section device_section(const SummaryInput& input);
Section thread_section(const SummaryInput& input);
Section phase_section(const SummaryInput& input);
Section kind_section(const SummaryInput& input);

Section idle_section(const SummaryInput& input);  // what the host did while the device was idle
Section runtime_call_section(const SummaryInput& input);
Section stream_section(const SummaryInput& input);

Section communication_section(const SummaryInput& input);
Section rank_section(const SummaryInput& input);

Section operator_section(const SummaryInput& input);
Section operator_work_section(const SummaryInput& input);  // below each operator, for tools
Section kernel_section(const SummaryInput& input);
Section user_range_section(const SummaryInput& input);
Section memory_range_section(const SummaryInput& input);

Section memory_peak_section(const SummaryInput& input);
Section memory_section(const SummaryInput& input);

Section sample_section(const SummaryInput& input);  // what was sampled beside the program

Section import_section(const std::vector<RankInput>& ranks, bool verbose);

// The steps that averages leave out, of all ranks.
struct WarmUpTime {
  std::size_t steps = 0;
  std::int64_t total_ns = 0;
  std::int64_t idle_ns = 0;  // of it, without any device work
};
// Of a step, the time in which no device worked.
std::int64_t idle_ns_of(const analysis::StepRow& step);
WarmUpTime warm_up_time(const SummaryInput& input);

// A bar whose full length is 100 %, in every table.
Column whole_bar_column();
// part / whole, or absent when there is no whole.
Cell share_of(std::int64_t part, std::int64_t whole);
Cell average_of(const analysis::TimeStat& stat);
Cell min_of(const analysis::TimeStat& stat);
// The first call of a name may take longer than all others together: then the average tells nothing
// of these, and a column tells their own.
bool is_spoilt_by_longest(const analysis::TimeStat& stat);
Cell average_without_longest(const analysis::TimeStat& stat);
Column without_longest_column(bool is_needed);
// Where a start-up changes averages by more than a tenth, a column tells those of the calls after
// it instead. `steady`: nothing if there are no such calls.
bool is_changed_by_start_up(const analysis::TimeStat& all, const analysis::TimeStat* steady);
Column steady_column(bool is_needed);
Cell steady_average(const analysis::TimeStat* steady);
std::string steady_words(bool is_needed);  // what the column means, or ""
Cell text_or_absent(const std::string& text);

// A time of the rank's trace as every table shows it: since the start of its earliest slice, as on
// a timeline.
std::int64_t since_origin_ns(const RankInput& rank, std::int64_t time_ns);

// The bases of shares, summed over ranks, and their words.

// From the first slice to the last, or the time of the chosen steps.
std::int64_t spans_ns(const SummaryInput& input);
std::string span_words(const SummaryInput& input);
std::string rank_span_words(const SummaryInput& input);  // of one rank alone
std::string span_word(const SummaryInput& input);        // short: "span" or "steps"
// The time in which a thread is in any range or call, threads added up. Of chosen steps: what runs
// in them, and the rest of what starts in them.
std::int64_t host_time_ns(const SummaryInput& input);
std::string host_time_words(const SummaryInput& input);
// Kernels, copies and memsets, streams added up.
std::int64_t device_time_ns(const SummaryInput& input);
std::string device_time_words(const SummaryInput& input);
std::string launched_words(const SummaryInput& input);  // " launched in the chosen steps", or ""

struct Omitted {
  std::size_t rows = 0;
  std::int64_t time_ns = 0;
};

// Says what a cut or filtered table does not show; `noun` names a row, `time` its time: "idle
// time".
void say_left_out(Section& section, const SummaryInput& input, const Omitted& cut,
                  const Omitted& filtered, const std::string& time, const std::string& noun);
// For names of calls that nest: only their self times add up.
void say_left_out(Section& section, const SummaryInput& input, const analysis::LeftOut& cut,
                  const analysis::LeftOut& filtered, const std::string& noun);
// " (--top all shows them)": how to see the rows that a table was cut by.
std::string how_to_see(std::size_t rows);

}  // namespace strobe::report
