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
};

Section step_section(const SummaryInput& input);   // the split of the average step, or of the trace
Section steps_section(const SummaryInput& input);  // every step, for tools
Section device_section(const SummaryInput& input);
Section thread_section(const SummaryInput& input);
Section phase_section(const SummaryInput& input);
Section kind_section(const SummaryInput& input);

Section communication_section(const SummaryInput& input);
Section rank_section(const SummaryInput& input);

Section operator_section(const SummaryInput& input);
Section operator_work_section(const SummaryInput& input);  // below each operator, for tools
Section kernel_section(const SummaryInput& input);
Section user_range_section(const SummaryInput& input);
Section memory_range_section(const SummaryInput& input);

Section memory_peak_section(const SummaryInput& input);
Section memory_section(const SummaryInput& input);

Section import_section(const SummaryInput& input, bool verbose);

// part / whole, or absent when there is no whole.
Cell share_of(std::int64_t part, std::int64_t whole);
Cell average_of(const analysis::TimeStat& stat);
Cell min_of(const analysis::TimeStat& stat);

// "the steps" or "the trace": what the summary's total refers to.
std::string total_words(const analysis::Summary& summary);

// From the first slice to the last, summed over ranks.
std::int64_t spans_ns(const std::vector<RankInput>& ranks);
inline constexpr const char* kSpanWords = "span of the trace, ranks added up";

// Says what a cut or filtered table does not show; `noun` names a row, and the time is on the side
// it was sorted by.
void say_left_out(Section& section, const SummaryInput& input, const analysis::LeftOut& cut,
                  const analysis::LeftOut& filtered, bool by_device, const std::string& noun);

}  // namespace strobe::report
