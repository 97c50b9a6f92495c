#include "strobe/analysis/tables/user_ranges.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

Trace ranges() {
  return Sketch()
      .thread(1)
      .slice("preprocess", SliceKind::kAnnotation, 0_us, 10_us)
      .slice("my MemCpy", SliceKind::kAnnotation, 20_us, 5_us)
      .slice("Reader:MemoryCopy", SliceKind::kUserRange, 30_us, 5_us)
      .slice("call", SliceKind::kRuntimeCall, 31_us, 1_us)
      .correlation(1)
      .slice("wrapper", SliceKind::kUserRange, 40_us, 5_us)
      .thread(2)
      .slice("preprocess", SliceKind::kAnnotation, 0_us, 4_us)
      .stream(0, 7)
      .slice("copy", SliceKind::kMemcpy, 50_us, 9_us)
      .correlation(1)
      .trace();
}

TEST(UserRangesTest, ranges_named_after_copies_are_memory_ranges_in_the_order_met) {
  const Trace trace = ranges();
  const auto rows = list_memory_ranges(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "Reader:MemoryCopy");
  EXPECT_EQ(rows[0].device.total_ns, 9_us);
  EXPECT_EQ(rows[1].name, "my MemCpy");
}

TEST(UserRangesTest, the_scripts_other_ranges_are_user_ranges_and_native_ones_are_not) {
  const Trace trace = ranges();
  const auto groups = list_user_ranges(attribute_trace(trace), false);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 1u);
  EXPECT_EQ(groups[0].rows[0].name, "preprocess");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 14_us);
}

TEST(UserRangesTest, threads_can_be_kept_apart) {
  const Trace trace = ranges();
  const auto groups = list_user_ranges(attribute_trace(trace), true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].thread, "2");
  EXPECT_EQ(groups[1].rows[0].host.total_ns, 4_us);
}

TEST(UserRangesTest, self_time_is_what_the_ranges_inside_leave) {
  Sketch sketch;
  sketch.slice("frame", SliceKind::kAnnotation, 0_us, 100_us);
  sketch.slice("layout", SliceKind::kAnnotation, 10_us, 50_us);
  const Trace trace = sketch.trace();
  const auto groups = list_user_ranges(attribute_trace(trace), false);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 2u);
  EXPECT_EQ(groups[0].rows[0].name, "frame");
  EXPECT_EQ(groups[0].rows[0].host.total_ns, 100_us);
  EXPECT_EQ(groups[0].rows[0].self_host_ns, 50_us);
  EXPECT_EQ(groups[0].rows[1].self_host_ns, 50_us);
}

}  // namespace
}  // namespace strobe::analysis
