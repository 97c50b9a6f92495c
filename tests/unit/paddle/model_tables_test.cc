#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include "strobe/trace/trace_builder.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

using analysis::Summary;
using analysis::TimeStat;
using ::testing::HasSubstr;

// A static graph: forward on the step's thread, all launches from another one.
TEST(ModelTablesTest, model_phases_end_with_what_no_phase_covers) {
  Summary summary;
  summary.has_steps = summary.has_model = true;
  summary.total_ns = 45'110'000;
  const TimeStat no_device_time{100, 0, 0, 0};
  summary.phases = {
      {SliceKind::kStep, {100, 45'110'000, 650'000, 430'000}, no_device_time, no_device_time},
      {SliceKind::kForward, {100, 42'320'000, 610'000, 400'000}, no_device_time, no_device_time}};
  EXPECT_EQ(summary_text(TraceBuilder().build(), summary, only(View::kModel)),
            std::string(47, '-') + "Model Summary" + std::string(47, '-') +
                "\n"
                "Time unit: ms\n"
                "---------------  ------  ----------------------------------------  "
                "----------------------------------------  \n"
                "Name             Calls   CPU Total / Avg / Max / Min / Ratio(%)    "
                "GPU Total / Avg / Max / Min / Ratio(%)    \n"
                "---------------  ------  ----------------------------------------  "
                "----------------------------------------  \n"
                "ProfileStep      100     45.11 / 0.45 / 0.65 / 0.43 / 100.00       "
                "0.00 / 0.00 / 0.00 / 0.00 / 0.00          \n"
                "  Forward        100     42.32 / 0.42 / 0.61 / 0.40 / 93.82        "
                "0.00 / 0.00 / 0.00 / 0.00 / 0.00          \n"
                "  Others         -       2.79 / - / - / - / 6.18                   "
                "0.00 / - / - / - / 0.00                   \n"
                "---------------  ------  ----------------------------------------  "
                "----------------------------------------  \n"
                "Note:\n"
                "GPU time of a phase is the sum of the device work it launched.\n"
                "Work overlapping on several streams is counted once per stream here.\n"
                "\n" +
                std::string(107, '-') + "\n");
}

TEST(ModelTablesTest, others_may_be_negative_when_phases_run_on_other_threads) {
  Summary summary;
  summary.has_steps = summary.has_model = true;
  summary.total_ns = 10'000'000;
  summary.phases = {{SliceKind::kStep,
                     {1, 10'000'000, 10'000'000, 10'000'000},
                     {1, 4'000'000, 4'000'000, 4'000'000},
                     {}},
                    {SliceKind::kBackward,
                     {1, 12'500'000, 12'500'000, 12'500'000},
                     {1, 5'000'000, 5'000'000, 5'000'000},
                     {}}};
  const std::string text = summary_text(TraceBuilder().build(), summary, only(View::kModel));
  EXPECT_THAT(line_with(text, "  Others"), HasSubstr("-2.50 / - / - / - / -25.00 "));
  EXPECT_THAT(line_with(text, "  Others"), HasSubstr("-1.00 / - / - / - / -25.00 "));
}

}  // namespace
}  // namespace strobe::paddle
