#include <gtest/gtest.h>

#include "tests/support/sketch.h"
#include "tests/unit/analysis/tables/table_rows.h"

// The tables of ranges that the script marks.
namespace strobe::analysis {
namespace {

using namespace strobe::literals;

Trace ranges_of_two_threads() {
  return Sketch()
      .thread(1)
      .slice("preprocess", SliceKind::kAnnotation, 0_us, 10_us)
      .slice("my MemCpy", SliceKind::kAnnotation, 20_us, 5_us)
      .slice("Reader:MemoryCopy", SliceKind::kUserRange, 30_us, 5_us)
      .slice("call", kCall, 31_us, 1_us)
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
  const Trace trace = ranges_of_two_threads();
  const auto rows = list_memory_ranges(attribute_trace(trace));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "my MemCpy");
  EXPECT_EQ(rows[1].name, "Reader:MemoryCopy");
  EXPECT_EQ(rows[1].device.total_ns, 9_us);
  EXPECT_EQ(rows[1].self_host_ns, 4_us);
}

TEST(UserRangesTest, the_scripts_other_ranges_are_user_ranges_and_native_ones_are_not) {
  const Trace trace = ranges_of_two_threads();
  const auto rows = range_rows(trace);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "preprocess");
  EXPECT_EQ(rows[0].host.total_ns, 14_us);
}

TEST(UserRangesTest, threads_can_be_kept_apart) {
  const Trace trace = ranges_of_two_threads();
  const auto groups = list_user_ranges(attribute_trace(trace), true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].thread, "2");
  EXPECT_EQ(groups[1].rows[0].host.total_ns, 4_us);
}

TEST(UserRangesTest, self_time_is_what_the_ranges_inside_leave) {
  const auto rows = range_rows(Sketch()
                                   .slice("frame", SliceKind::kAnnotation, 0_us, 100_us)
                                   .slice("layout", SliceKind::kAnnotation, 10_us, 50_us)
                                   .trace());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "frame");
  EXPECT_EQ(rows[0].host.total_ns, 100_us);
  EXPECT_EQ(rows[0].self_host_ns, 50_us);
  EXPECT_EQ(rows[1].self_host_ns, 50_us);
}

TEST(UserRangesTest, self_time_is_never_negative_where_ranges_cross) {
  const Trace trace = Sketch()
                          .slice("outer", SliceKind::kAnnotation, 0_us, 100_us)
                          .slice("a", SliceKind::kAnnotation, 10_us, 70_us)
                          .slice("b", SliceKind::kAnnotation, 20_us, 75_us)
                          .trace();
  const auto rows = range_rows(trace);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].self_host_ns, 15_us);  // before 10 and after 95
  EXPECT_EQ(rows[1].self_host_ns, 10_us);
  EXPECT_EQ(rows[2].self_host_ns, 75_us);
  EXPECT_EQ(range_rows(trace, TreeRules::kCompatible)[0].self_host_ns, -45_us);
}

TEST(UserRangesTest, a_range_inside_itself_counts_once) {
  const Trace trace = Sketch()
                          .slice("load", SliceKind::kAnnotation, 0_us, 100_us)
                          .slice("load", SliceKind::kAnnotation, 10_us, 70_us)
                          .slice("call", kCall, 20_us, 5_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("copy", SliceKind::kMemcpy, 30_us, 3_us)
                          .correlation(1)
                          .trace();
  const auto rows = range_rows(trace);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.calls, 2u);
  EXPECT_EQ(rows[0].host.total_ns, 100_us);
  EXPECT_EQ(rows[0].self_host_ns, 95_us);
  EXPECT_EQ(rows[0].device.total_ns, 3_us);
}

// On an asynchronous track each range stands alone, but the track's time is still counted once.
TEST(UserRangesTest, ranges_of_one_name_on_an_asynchronous_track_count_once) {
  Sketch sketch;
  sketch.track("async 1", TrackKind::kAsync);
  sketch.slice("fetch", SliceKind::kAnnotation, 0_us, 10_us);
  sketch.slice("fetch", SliceKind::kAnnotation, 4_us, 10_us);
  const auto rows = range_rows(sketch.trace());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host.total_ns, 14_us);
  EXPECT_EQ(rows[0].self_host_ns, 14_us);
}

}  // namespace
}  // namespace strobe::analysis
