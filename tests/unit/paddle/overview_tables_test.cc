#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include "strobe/trace/trace_builder.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

using analysis::Summary;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OverviewTablesTest, phases_and_communication_of_the_overview_come_from_their_own_tables) {
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

TEST(OverviewTablesTest, a_trace_without_steps_is_measured_by_its_own_span) {
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

TEST(OverviewTablesTest, device_rows_carry_the_name_of_their_kind) {
  TraceBuilder builder;
  builder.metadata().traits.device_label = "MLU";
  Summary summary;
  summary.total_ns = 100;
  summary.devices = {{3, 25, 80, 1}};
  const std::string text = summary_text(std::move(builder).build(), summary, only(View::kDevice));
  EXPECT_EQ(line_with(text, "MLU3"), "MLU3                            25.00                 ");
}

}  // namespace
}  // namespace strobe::paddle
