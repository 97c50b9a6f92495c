#include "strobe/analysis/waits/stream_delays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
using ::testing::Pair;

// Launches that end at 1, 2, 3, ... us, and their kernels.
Sketch launched_at(const std::vector<std::int64_t>& starts_us) {
  Sketch sketch;
  for (std::size_t i = 0; i < starts_us.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    sketch.thread(1).slice("launch", kCall, static_cast<std::int64_t>(i) * 1_us, 1_us);
    sketch.correlation(id).stream(0, 7);
    sketch.slice("k", kKernel, starts_us[i] * 1_us, 2_us).correlation(id);
  }
  return sketch;
}

TEST(StreamDelaysTest, the_delay_is_from_the_end_of_the_call_to_the_start_of_the_work) {
  // Delays: 1, 8, 17, 26 us.
  const Trace trace = launched_at({2, 10, 20, 30}).trace();
  const auto rows = measure_streams(attribute_trace(trace), {{0_us, 40_us}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].device, 0);
  EXPECT_EQ(rows[0].stream, "7");
  EXPECT_EQ(rows[0].works, 4u);
  EXPECT_EQ(rows[0].with_launch, 4u);
  EXPECT_EQ(rows[0].busy_ns, 8_us);
  EXPECT_EQ(rows[0].median_delay_ns, 8_us);
  EXPECT_EQ(rows[0].p90_delay_ns, 26_us);
  EXPECT_EQ(rows[0].max_delay_ns, 26_us);
  EXPECT_EQ(rows[0].max_delay_at_ns, 30_us);
  // Waiting: [1,2) [2,10) [3,20) [4,30): three at once from 4 to 10 us.
  EXPECT_EQ(rows[0].longest_queue, 3u);
  EXPECT_DOUBLE_EQ(rows[0].mean_queue, (1.0 + 8 + 17 + 26) / 40);
}

TEST(StreamDelaysTest, work_that_starts_during_its_call_has_no_delay_and_never_waits) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("launch", kCall, 0_us, 10_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("k", kKernel, 5_us, 10_us)
                          .correlation(1)
                          .trace();
  const auto rows = measure_streams(attribute_trace(trace), {{0_us, 15_us}});
  EXPECT_EQ(rows[0].max_delay_ns, 0);
  EXPECT_EQ(rows[0].longest_queue, 0u);
  EXPECT_EQ(rows[0].mean_queue, 0);
}

TEST(StreamDelaysTest, orphans_are_work_without_a_delay_and_overlap_counts_once) {
  const Trace trace = Sketch()
                          .stream(0, 7)
                          .slice("k", kKernel, 0_us, 10_us)
                          .slice("c", SliceKind::kMemcpy, 5_us, 10_us)
                          .trace();
  const auto rows = measure_streams(attribute_trace(trace), {{0_us, 20_us}});
  EXPECT_EQ(rows[0].works, 2u);
  EXPECT_EQ(rows[0].with_launch, 0u);
  EXPECT_EQ(rows[0].busy_ns, 15_us);
  EXPECT_EQ(rows[0].max_delay_ns, 0);
}

TEST(StreamDelaysTest, only_what_happens_in_the_span_counts) {
  const Trace trace = launched_at({2, 10, 20, 30}).trace();
  const auto rows = measure_streams(attribute_trace(trace), {{5_us, 11_us}, {25_us, 28_us}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].works, 1u);  // [10,12)
  EXPECT_EQ(rows[0].busy_ns, 1_us);
  EXPECT_EQ(rows[0].max_delay_ns, 8_us);
  EXPECT_EQ(rows[0].longest_queue, 3u);
  // [2,10): 5 us inside; [3,20): 6; [4,30): 6 + 3.
  EXPECT_DOUBLE_EQ(rows[0].mean_queue, 20.0 / 9);
}

TEST(StreamDelaysTest, streams_are_listed_by_device_then_number) {
  const Trace trace = Sketch()
                          .stream(1, 7)
                          .slice("k", kKernel, 0_us, 1_us)
                          .stream(0, 20)
                          .slice("k", kKernel, 0_us, 1_us)
                          .stream(0, 7)
                          .slice("k", kKernel, 0_us, 1_us)
                          .trace();
  std::vector<std::pair<std::int32_t, std::string>> keys;
  for (const StreamRow& row : measure_streams(attribute_trace(trace), {{0_us, 1_us}})) {
    keys.emplace_back(row.device, row.stream);
  }
  EXPECT_THAT(keys, ElementsAre(Pair(0, "7"), Pair(0, "20"), Pair(1, "7")));
}

TEST(QueuesTest, a_line_goes_up_when_a_call_ends_and_down_when_its_work_starts) {
  const Trace trace = launched_at({2, 10, 20}).trace();
  const auto lines = list_queues(attribute_trace(trace));
  ASSERT_EQ(lines.size(), 1u);
  std::vector<std::pair<std::int64_t, std::uint32_t>> points;
  for (const QueuePoint& point : lines[0].points) {
    points.emplace_back(point.time_ns / 1_us, point.waiting);
  }
  // [1,2) [2,10) [3,20): at 2 us one leaves and one comes.
  EXPECT_THAT(points, ElementsAre(Pair(1, 1u), Pair(3, 2u), Pair(10, 1u), Pair(20, 0u)));
}

TEST(QueuesTest, each_device_has_its_line_over_all_its_streams) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("launch", kCall, 0_us, 1_us)
                          .correlation(1)
                          .slice("launch", kCall, 1_us, 1_us)
                          .correlation(2)
                          .slice("launch", kCall, 2_us, 1_us)
                          .correlation(3)
                          .stream(1, 7)
                          .slice("k", kKernel, 10_us, 1_us)
                          .correlation(1)
                          .stream(1, 8)
                          .slice("k", kKernel, 10_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("k", kKernel, 20_us, 1_us)
                          .correlation(3)
                          .slice("orphan", kKernel, 30_us, 1_us)
                          .trace();
  const auto lines = list_queues(attribute_trace(trace));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].device, 0);
  EXPECT_EQ(lines[0].points.size(), 2u);
  EXPECT_EQ(lines[1].device, 1);
  ASSERT_EQ(lines[1].points.size(), 3u);
  EXPECT_EQ(lines[1].points[1].waiting, 2u);
  EXPECT_EQ(lines[1].points[2].time_ns, 10_us);
  EXPECT_EQ(lines[1].points[2].waiting, 0u);
}

}  // namespace
}  // namespace strobe::analysis
