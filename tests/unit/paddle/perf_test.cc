#include "strobe/paddle/perf.h"

#include <gtest/gtest.h>

#include "strobe/paddle/tables.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::paddle {
namespace {

const std::string kTitle = std::string(44, '=') + "Perf Summary" + std::string(44, '=') + "\n";

// 120 step costs: 9 of warm-up, then 111 records of which one is slow and one fast; 110 / their sum
// is 2506.4463.
TEST(PerfTest, a_long_run_is_counted_as_the_timer_does) {
  const double common_s = (110 / 2506.4463 - 1 / 31.17186 - 1 / 13977.0095) / 109;
  std::vector<double> costs_s(9, 0.0005);
  costs_s.insert(costs_s.end(), 11, common_s);
  costs_s.push_back(1 / 31.17186);
  costs_s.push_back(1 / 13977.0095);
  costs_s.insert(costs_s.end(), 98, common_s);
  EXPECT_EQ(perf_text(perf_summary(costs_s), ""),
            kTitle +
                "Time Unit: s, IPS Unit: steps/s\n"
                "|                 |       avg       |       max       |       min       |\n"
                "|    batch_cost   |     0.00040     |     0.03208     |     0.00007     |\n"
                "|       ips       |    2506.44630   |   13977.00950   |     31.17186    |\n");
}

// Starts 0, 100, 300 ms; the last step lasts 150 ms: costs 0.1, 0.2, 0.15 s, average 0.15.
TEST(PerfTest, a_trace_of_few_steps_counts_them_all_and_says_so) {
  analysis::Summary summary;
  summary.has_steps = true;
  for (const auto& [start_ms, end_ms] : {std::pair{0, 90}, {100, 290}, {300, 450}}) {
    analysis::StepRow step;
    step.interval = {start_ms * 1'000'000LL, end_ms * 1'000'000LL};
    summary.steps.push_back(step);
  }
  const Trace trace = TraceBuilder().build();
  const analysis::TableOptions options;
  EXPECT_EQ(perf_table({trace, summary, options}),
            kTitle +
                "From the starts of all 3 recorded steps (too few to leave a warm-up out)\n"
                "Time Unit: s, IPS Unit: steps/s\n"
                "|                 |       avg       |       max       |       min       |\n"
                "|    batch_cost   |     0.15000     |     0.20000     |     0.10000     |\n"
                "|       ips       |     6.66667     |     10.00000    |     5.00000     |\n");
}

TEST(PerfTest, without_steps_there_is_no_table) {
  const Trace trace = TraceBuilder().build();
  EXPECT_EQ(perf_table({trace, {}, {}}), "");
}

}  // namespace
}  // namespace strobe::paddle
