#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include "strobe/trace/trace_builder.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

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

}  // namespace
}  // namespace strobe::paddle
