#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "strobe/paddle/tables.h"
#include "tests/unit/paddle/flash_attention_summary.h"

namespace strobe::paddle {
namespace {

using analysis::SortKey;
using analysis::Summary;
using analysis::TableOptions;
using analysis::TimeStat;
using analysis::TimeUnit;
using analysis::View;
using analysis::ViewSet;
using ::testing::HasSubstr;
using ::testing::Not;

TableOptions only(ViewSet views) {
  TableOptions options;
  options.views = views;
  return options;
}
TableOptions only(View view) { return only(ViewSet().with(view)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string line_with(const std::string& text, std::string_view start) {
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, start.size(), start) == 0) return line;
  }
  return "no line starts with " + std::string(start);
}

TEST(SummaryTextTest, the_flash_attention_tables_are_reproduced_byte_for_byte) {
  const std::filesystem::path path =
      std::string(STROBE_SOURCE_DIR) + "/../shared/traces/paddle_flash_attn.expected.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/traces beside the sources";
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();

  TableOptions options = only(ViewSet()
                                  .with(View::kDevice)
                                  .with(View::kOverview)
                                  .with(View::kOperator)
                                  .with(View::kKernel));
  EXPECT_EQ(summary_text(flash_attention_trace(), flash_attention_summary(), options),
            expected.str());
  options.sort = SortKey::kDeviceTotal;
  EXPECT_EQ(summary_text(flash_attention_trace(), flash_attention_summary(), options),
            expected.str());
}

TEST(SummaryTextTest, a_long_quintuple_makes_its_column_and_the_line_grow) {
  TableOptions options = only(View::kOperator);
  options.unit = TimeUnit::kMicroseconds;
  const std::string text =
      summary_text(flash_attention_trace(), flash_attention_summary(), options);
  EXPECT_EQ(line_with(text, "flash_attn dygraph"),
            "flash_attn dygraph                                    100     "
            "6205.80 / 62.06 / 108.00 / 59.80 / 91.02  "
            "77802.10 / 778.02 / 783.60 / 770.00 / 100.00  0           ");
  EXPECT_EQ(lines_of(text)[0].size(), 160u);
}

TEST(SummaryTextTest, threads_apart_nanoseconds_and_minimum_first) {
  TableOptions options = only(ViewSet().with(View::kOperator).with(View::kKernel));
  options.unit = TimeUnit::kNanoseconds;
  options.sort = SortKey::kDeviceMin;
  options.operator_detail = false;
  Summary summary = flash_attention_summary();
  summary.operators[0].thread = "7001";
  const std::string text = summary_text(flash_attention_trace(), summary, options);
  const auto lines = lines_of(text);
  EXPECT_EQ(lines[0].size(), 184u);
  EXPECT_THAT(lines[5], HasSubstr("-Thread: 7001-"));
  EXPECT_EQ(lines[6].substr(0, 17), "transpose dygraph");
  EXPECT_EQ(lines[7].substr(0, 18), "flash_attn dygraph");
  EXPECT_EQ(lines[8].substr(0, 4), "----");
  EXPECT_THAT(line_with(text, "void Eigen"), HasSubstr(" / 55585.33 / "));
  EXPECT_LT(text.find("void Eigen"), text.find("void flash"));
}

TEST(SummaryTextTest, long_operator_names_stay_whole_and_long_phases_are_cut) {
  Summary summary = flash_attention_summary();
  analysis::OperatorRow& item = summary.operators[0].rows[0];
  item.name = std::string(60, 'o');
  item.phases[0].name = std::string(51, 'p');
  const std::string text = summary_text(flash_attention_trace(), summary, only(View::kOperator));
  EXPECT_THAT(text, HasSubstr("\n" + std::string(60, 'o') + "  100 "));
  EXPECT_THAT(text, HasSubstr("\n  " + std::string(47, 'p') + "...  100 "));
}

TEST(SummaryTextTest, cut_tables_say_what_they_left_out) {
  TableOptions options = only(ViewSet().with(View::kOperator).with(View::kKernel));
  options.top = 1;
  const std::string text =
      summary_text(flash_attention_trace(), flash_attention_summary(), options);
  EXPECT_THAT(text, HasSubstr("\n... 1 more, 0.61 ms\n"));
  EXPECT_THAT(text, HasSubstr("\n... 1 more, 16.68 ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("transpose")));
  EXPECT_THAT(text, HasSubstr(" / 91.02 "));
}

// A static graph: forward on the step's thread, all launches from another one.
TEST(SummaryTextTest, model_phases_end_with_what_no_phase_covers) {
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

TEST(SummaryTextTest, others_may_be_negative_when_phases_run_on_other_threads) {
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

TEST(SummaryTextTest, phases_and_communication_of_the_overview_come_from_their_own_tables) {
  Summary summary;
  summary.has_steps = summary.has_communication = true;
  summary.total_ns = 10'000'000;
  summary.phases = {{SliceKind::kStep, {}, {}, {}},
                    {SliceKind::kForward, {3, 6'000'000, 0, 0}, {}, {}}};
  summary.host_types = {{SliceKind::kStep, "", 1, 10'000'000},
                        {SliceKind::kForward, "", 9, 4'000'000},
                        {SliceKind::kCommunication, "", 7, 9'000'000},
                        {SliceKind::kOther, "my category", 1, 1'000'000}};
  summary.device_types = {{SliceKind::kMemcpy, "", 2, 1'000'000},
                          {SliceKind::kKernel, "", 5, 5'000'000}};
  summary.communication.host_ns = 2'000'000;
  summary.communication.host_calls = 4;
  summary.communication.device_ns = 3'000'000;
  summary.communication.device_calls = 2;
  const auto lines = lines_of(summary_text(TraceBuilder().build(), summary, only(View::kOverview)));
  const auto cells = [](std::string_view a, std::string_view b, std::string_view c,
                        std::string_view d) {
    std::string line;
    for (const std::string_view cell : {a, b, c, d}) {
      line += std::string(cell) + std::string(27 - cell.size(), ' ');
    }
    return line;
  };
  EXPECT_EQ(lines[5], cells("ProfileStep", "1", "10.00", "100.00"));
  EXPECT_EQ(lines[6], cells("  Forward", "3", "6.00", "60.00"));
  EXPECT_EQ(lines[7], cells("  Communication", "4", "2.00", "20.00"));
  EXPECT_EQ(lines[8], cells("  my category", "1", "1.00", "10.00"));
  EXPECT_EQ(lines[12], cells("  Memcpy", "2", "1.00", "10.00"));
  EXPECT_EQ(lines[13], cells("  Kernel", "5", "5.00", "50.00"));
  EXPECT_EQ(lines[14], cells("  Communication", "2", "3.00", "30.00"));
}

TEST(SummaryTextTest, a_trace_without_steps_is_measured_by_its_own_span) {
  Summary summary;
  summary.total_ns = 8'000'000;
  summary.host_types = {{SliceKind::kOperator, "", 2, 2'000'000}};
  summary.has_communication = true;
  summary.communication.communication_ns = 1'000'000;
  const std::string text = summary_text(
      TraceBuilder().build(), summary,
      only(ViewSet().with(View::kOverview).with(View::kDistributed).with(View::kDevice)));
  EXPECT_THAT(line_with(text, "Trace"), HasSubstr("8.00                       100.00"));
  EXPECT_THAT(line_with(text, "  Operator"), HasSubstr("2.00                       25.00"));
  EXPECT_THAT(line_with(text, "  Communication"), HasSubstr("1.00                       12.50"));
  EXPECT_THAT(text, Not(HasSubstr("ProfileStep")));
  EXPECT_THAT(text, Not(HasSubstr("\nCPU(Process)  ")));
}

TEST(SummaryTextTest, device_rows_carry_the_name_of_their_kind) {
  TraceBuilder builder;
  builder.metadata().traits.device_label = "MLU";
  Summary summary;
  summary.total_ns = 100;
  summary.devices = {{3, 25, 80, 1}};
  const std::string text = summary_text(std::move(builder).build(), summary, only(View::kDevice));
  EXPECT_EQ(line_with(text, "MLU3"), "MLU3                            25.00                 ");
}

TEST(SummaryTextTest, user_ranges_have_no_closing_line_and_memory_ranges_keep_their_order) {
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

TEST(SummaryTextTest, memory_is_one_table_per_place_with_reserved_rows_last) {
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

TEST(SummaryTextTest, an_empty_summary_still_prints_its_two_fixed_tables) {
  const std::string text = summary_text(TraceBuilder().build(), {}, {});
  EXPECT_THAT(text, HasSubstr("Device Summary"));
  EXPECT_THAT(text, HasSubstr("Overview Summary"));
  EXPECT_THAT(text, Not(HasSubstr("Model Summary")));
  EXPECT_THAT(text, Not(HasSubstr("Operator Summary")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace strobe::paddle
