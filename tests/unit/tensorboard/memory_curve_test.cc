#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <algorithm>

#include "strobe/tensorboard/memory_view.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;

std::vector<double> times(const std::vector<CurvePoint>& points) {
  std::vector<double> result;
  for (const CurvePoint& point : points) result.push_back(point.time);
  return result;
}

// Points at 0, 1, 2, ... with these values.
std::vector<CurvePoint> curve(const std::vector<double>& allocated) {
  std::vector<CurvePoint> points;
  for (const double value : allocated) {
    points.push_back({static_cast<double>(points.size()), value, 2 * value});
  }
  return points;
}

TEST(CurveThinningTest, a_curve_of_allowed_length_stays_as_it_is) {
  const auto points = curve({0, 9, 0, 9});
  EXPECT_EQ(thin_curve(points, 4), points);
}

TEST(CurveThinningTest, the_first_bins_hold_one_point_more) {
  // Seven inner points in three bins: 1-3, 4-5, 6-7. A peak at 3 wins the first bin only if it is
  // in it.
  const auto thinned = thin_curve(curve({0, 0, 0, 50, 0, 50, 0, 50, 0}), 5);
  EXPECT_THAT(times(thinned), ElementsAre(0, 3, 4, 7, 8));
}

TEST(CurveThinningTest, equal_areas_take_the_first_point) {
  EXPECT_THAT(times(thin_curve(curve({0, 0, 0, 0, 0, 0}), 4)), ElementsAre(0, 1, 3, 5));
}

TEST(CurveThinningTest, a_bin_is_judged_against_the_mean_of_the_next_one) {
  // Bins 1-2 and 3-4; a = (0,0), the mean of the second bin is (3.5, 10). Areas of the first bin:
  // (1,0): |(-3.5)(0) - (-1)(10)|/2 = 5, (2,4): |(-3.5)(4) - (-2)(10)|/2 = 3.
  // Against the first point of the next bin, (3,20), it would be 10 and 14.
  EXPECT_THAT(times(thin_curve(curve({0, 0, 4, 20, 0, 0}), 4)), ElementsAre(0, 1, 3, 5));
}

TEST(CurveThinningTest, the_reserved_value_travels_along) {
  const auto thinned = thin_curve(curve({0, 1, 7, 1, 0}), 3);
  EXPECT_EQ(thinned[1], (CurvePoint{2, 7, 14}));
}

std::string totals(double allocated, double reserved) {
  return ",\"Total Allocated\":" + std::to_string(static_cast<long long>(allocated)) +
         ",\"Total Reserved\":" + std::to_string(static_cast<long long>(reserved));
}

TEST(MemoryCurveTest, every_point_but_the_first_is_led_by_the_old_values_at_the_new_time) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("a", 1000, 5000)
                    .memory(2000, 1, 1, 1, 0, totals(1 << 20, 4 << 20))
                    .memory(4000, 2, 1, 1, 0, totals(3 << 20, 4 << 20))
                    .text());
  const std::string body = desk.body("memory_curve");
  EXPECT_EQ(member(body, "rows"),
            R"({"GPU0": [[1.0, 1.0, 4.0], [3.0, 1.0, 4.0], [3.0, 3.0, 4.0]]})");
  EXPECT_EQ(member(body, "metadata"),
            R"({"default_device": "GPU0", "devices": ["GPU0"], )"
            R"("peaks": {"GPU0": "Peak Memory Usage: 3.0MB"}, "totals": {}, "first_ts": 1000, )"
            R"("time_metric": "ms", "memory_metric": "MB", "time_factor": 0.001, )"
            R"("memory_factor": 9.5367431640625e-07})");
}

TEST(MemoryCurveTest, records_without_address_or_totals_are_left_out) {
  ViewDesk desk;
  desk.add("w", TraceLines()
                    .op("a", 0, 50)
                    .memory(1, 1, 1, 0, -1)
                    .line(R"({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":5,"args":)"
                          R"({"Device Type":0,"Device Id":-1,"Bytes":8,"Total Allocated":8,)"
                          R"("Total Reserved":8}})")
                    .text());
  EXPECT_EQ(member(desk.body("memory_curve"), "rows"), "{}");
}

TEST(MemoryCurveTest, devices_the_plugin_failed_on_are_named_after_their_vendor) {
  ViewDesk desk;
  desk.add("w", TraceLines().op("a", 0, 50).memory(0, 1, 1, 6, 2, totals(1024, 2048)).text());
  const std::string body = desk.body("memory_curve", {{"memory_metric", "KB"}});
  EXPECT_EQ(member(body, "rows"), R"({"HIP2": [[0.0, 1.0, 2.0]]})");
  EXPECT_EQ(member(body, "default_device"), "\"HIP2\"");
}

std::size_t points_of(const ViewDesk& desk) {
  const std::string rows = member(desk.body("memory_curve"), "rows");
  return static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '[')) - 1;
}

TEST(MemoryCurveTest, long_curves_are_thinned_unless_the_variant_keeps_all) {
  TraceLines lines;
  lines.op("a", 0, 100000);
  for (int i = 0; i < 6000; ++i) lines.memory(i, i, 1, 0, -1, totals(i % 7, i));
  ViewDesk gpu;
  gpu.add("w", lines.text());
  EXPECT_EQ(points_of(gpu), 10240u);
  ViewDesk mlu;
  mlu.add("w", lines.text(), {.variant = Variant::kMluA});
  EXPECT_EQ(points_of(mlu), 2u * 6000 - 1);
}

}  // namespace

}  // namespace strobe::tensorboard
