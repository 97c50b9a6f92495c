#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string overview(const TraceLines& lines, std::string_view header = "") {
  ViewDesk desk;
  desk.add("worker0", lines.text(header));
  return desk.body("overview");
}

TEST(OverviewTest, a_host_alone_has_no_columns_for_a_device) {
  const std::string body = overview(TraceLines().op("a", 0, 10).op("b", 15, 5));
  EXPECT_EQ(member(body, "performance"),
            R"([{"name": "Average Step Time", "description": "", "value": 20, "extra": 100, )"
            R"("children": [{"name": "DataLoader", "description": "", "value": 0, "extra": 0.0}, )"
            R"({"name": "CPU Exec", "description": "", "value": 15, "extra": 75.0}, )"
            R"({"name": "Other", "description": "", "value": 5, "extra": 25.0}]}])");
  EXPECT_EQ(member(body, "environments"), R"_([{"title": "Number of Worker(s)", "value": "1"}, )_"
                                          R"_({"title": "Device Type", "value": "CPU"}])_");
  EXPECT_THAT(body, Not(HasSubstr("gpu_metrics")));
}

TEST(OverviewTest, numbers_in_tooltips_show_their_kind) {
  EXPECT_THAT(
      overview(TraceLines().op("a", 0, 8)),
      HasSubstr("Step 0<br>Total: 8us<br><b>CPU Exec: 8us</b><br>Percentage: 100.0%</div>"));
  EXPECT_THAT(overview(TraceLines().op("a", 0.5, 8)), HasSubstr("Total: 8.0us<br>"));
}

TEST(OverviewTest, a_step_without_length_has_no_percentages) {
  EXPECT_THAT(overview(TraceLines().op("a", 5, 0)),
              HasSubstr("Total: 0us<br><b>Other: 0us</b><br>Percentage: 0.0%</div>"));
}

TEST(OverviewTest, communication_is_shown_when_there_is_any) {
  EXPECT_THAT(overview(TraceLines().op("a", 0, 10).op("gloo:reduce", 2, 3)),
              HasSubstr(R"({"type": "number", "name": "Communication"})"));
}

TEST(OverviewTest, each_device_is_described_by_what_is_known_of_it) {
  const std::string body = overview(
      TraceLines()
          .op("a", 0, 100)
          .x("kernel", "k", 0, 50, R"("device":0)")
          .x("kernel", "k", 0, 100, R"("device":1,"est. achieved occupancy %":12.345)"),
      R"("deviceProperties":[{"name":"A100","totalGlobalMem":42505273344,"computeMajor":8,"computeMinor":0}],)");
  EXPECT_EQ(
      member(member(body, "gpu_metrics"), "data"),
      R"([{"title": "GPU 0:", "value": ""}, {"title": "Name", "value": "A100"}, )"
      R"({"title": "Memory", "value": "39.59 GB"}, )"
      R"({"title": "Compute Capability", "value": "8.0"}, )"
      R"({"title": "GPU Utilization", "value": "50.0 %"}, {"title": "<hr/>", "value": ""}, )"
      R"({"title": "GPU 1:", "value": ""}, {"title": "GPU Utilization", "value": "100.0 %"}, )"
      R"({"title": "Est. Achieved Occupancy", "value": "12.35 %"}])");
  const std::string tooltip = member(member(body, "gpu_metrics"), "tooltip");
  EXPECT_THAT(tooltip, HasSubstr("Est. Achieved Occupancy:"));
  EXPECT_THAT(tooltip, Not(HasSubstr("Est. SM Efficiency:")));
}

}  // namespace
}  // namespace strobe::tensorboard
