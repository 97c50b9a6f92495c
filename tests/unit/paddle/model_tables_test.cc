#include <gmock/gmock.h>

#include "strobe/paddle/summary_text.h"
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

using analysis::Summary;
using ::testing::HasSubstr;

TEST(RangeTablesTest, user_ranges_have_no_closing_line_and_memory_ranges_keep_their_order) {
  Summary summary;
  summary.total_ns = 4'000'000;
  summary.phases = {{SliceKind::kStep, {}, {}, {1, 2'000'000, 2'000'000, 2'000'000}}};
  summary.memory_ranges = {
      {"GpuMemcpySync", {1, 1'000'000, 1'000'000, 1'000'000}, {1, 500'000, 500'000, 500'000}},
      {"MemorySet", {1, 3'000'000, 3'000'000, 3'000'000}, {1, 0, 0, 0}}};
  summary.user_ranges = {
      {"",
       {{"warm", {1, 1'000'000, 1'000'000, 1'000'000}, {1, 0, 0, 0}},
        {"evaluate", {2, 2'000'000, 1'500'000, 500'000}, {2, 1'000'000, 1'000'000, 0}}}}};
  const auto lines = lines_of(
      summary_text(TraceBuilder().build(), summary,
                   only(ViewSet().with(View::kMemoryManipulation).with(View::kUserRanges))));
  EXPECT_EQ(lines[0], std::string(39, '-') + "Memory Manipulation Summary" + std::string(39, '-'));
  EXPECT_EQ(lines[1], "Time unit: ms");
  EXPECT_EQ(lines[5],
            "GpuMemcpySync  1       1.00 / 1.00 / 1.00 / 1.00 / 25.00         0.50 / 0.50 / 0.50 / "
            "0.50 / 25.00         ");
  EXPECT_EQ(lines[6].substr(0, 13), "MemorySet    ");
  EXPECT_EQ(lines[7].substr(0, 13), "-------------");
  EXPECT_EQ(lines[8] + lines[9], "");
  EXPECT_THAT(lines[10], HasSubstr("-UserDefined Summary-"));
  EXPECT_EQ(lines[13].substr(0, 17), "Name      Calls  ");
  EXPECT_THAT(lines[15], HasSubstr("-Thread: All threads merged-"));
  EXPECT_EQ(lines[16],
            "evaluate  2       2.00 / 1.00 / 1.50 / 0.50 / 50.00         1.00 / 0.50 / 1.00 / 0.00 "
            "/ 50.00         ");
  EXPECT_EQ(lines[17].substr(0, 8), "warm    ");
  EXPECT_EQ(lines.size(), 18u);
}

using analysis::Summary;

TEST(MemoryTablesTest, memory_is_one_table_per_place_with_reserved_rows_last) {
  Summary summary;
  summary.memory = {{"Place(gpu:0)",
                     300,
                     512,
                     {{"small", 1, 0, 10, 0}, {"big", 3, 1, 90, 30}},
                     {{"pool", 1, 0, 512, 0}}},
                    {"Place(cpu)", 0, 64, {}, {{"pool", 1, 0, 64, 0}}}};
  EXPECT_EQ(summary_text(TraceBuilder().build(), summary, only(View::kMemory)),
            std::string(60, '-') + "Memory Summary - Place(gpu:0)" + std::string(60, '-') +
                "\n"
                "Peak Allocated Memory: 300\n"
                "Peak Reserved Memory: 512\n"
                "--------------------------------------------------  ------------  --------------- "
                " ---------------  ---------------  ---------------  ---------------  \n"
                "Name                                                Type          Allocation "
                "Count  Free Count       Allocation Size  Free Size        Increased Size   \n"
                "--------------------------------------------------  ------------  --------------- "
                " ---------------  ---------------  ---------------  ---------------  \n"
                "big                                                 Allocated     3               "
                " 1                90               30               60               \n"
                "small                                               Allocated     1               "
                " 0                10               0                10               \n"
                "pool                                                Reserved      1               "
                " 0                512              0                512              \n");
}

}  // namespace

}  // namespace strobe::paddle
