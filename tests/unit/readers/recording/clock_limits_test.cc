#include "strobe/readers/recording/clock_limits.h"

#include <gmock/gmock.h>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ClockLimitsTest, equal_reasons_are_one_stretch_until_the_sample_that_differs) {
  EXPECT_THAT(
      find_clock_limits({{10, 4}, {20, 4}, {30, 0}, {40, 0x24}, {50, 0x20}, {60, 0x20}}),
      ElementsAre(ClockLimit{{10, 30}, 4}, ClockLimit{{40, 50}, 0x24}, ClockLimit{{50, 60}, 0x20}));
}

TEST(ClockLimitsTest, an_idle_device_is_not_limited) {
  EXPECT_THAT(find_clock_limits({{10, 1}, {20, 1}, {30, 0}}), IsEmpty());
  EXPECT_THAT(find_clock_limits({{10, 5}, {20, 4}, {30, 4}}), ElementsAre(ClockLimit{{10, 30}, 4}));
}

TEST(ClockLimitsTest, samples_may_come_in_any_order) {
  EXPECT_THAT(find_clock_limits({{30, 0}, {10, 4}, {20, 4}}), ElementsAre(ClockLimit{{10, 30}, 4}));
  EXPECT_THAT(find_clock_limits({{10, 4}}), IsEmpty()) << "one sample has no length";
  EXPECT_THAT(find_clock_limits({}), IsEmpty());
}

TEST(ClockLimitsTest, a_hardware_slowdown_counts_only_where_its_cause_is_not_known) {
  EXPECT_THAT(find_clock_limits({{10, 0x48}, {20, 0x40}, {30, 0x88}, {40, 0x08}, {50, 0}}),
              ElementsAre(ClockLimit{{10, 30}, 0x40}, ClockLimit{{30, 40}, 0x80},
                          ClockLimit{{40, 50}, 0x08}));
}

TEST(ClockLimitsTest, they_are_conditions_on_a_track_of_the_device) {
  test::SinkSketch to;
  add_clock_limits(2, {{10, 0x25}, {30, 0}}, to.sink);
  const Trace trace = to.trace();
  ASSERT_EQ(trace.slice_count(), 1u);
  EXPECT_EQ(trace.kind(SliceId(std::size_t{0})), SliceKind::kCondition);
  EXPECT_EQ(trace.name(SliceId(std::size_t{0})), "heat, power cap");
  const Track& track = trace.track(SliceId(std::size_t{0}));
  EXPECT_EQ(track.kind, TrackKind::kOther);
  EXPECT_EQ(track.device, 2);
  EXPECT_EQ(trace.strings()[track.thread], "clock limits");
  EXPECT_EQ(trace.extent().length_ns(), 0) << "conditions are not the program's time";
}

}  // namespace
}  // namespace strobe::readers
