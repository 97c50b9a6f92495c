#include "strobe/readers/counters/recording_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/recording_sketch.h"

namespace strobe::readers {
namespace {

using test::SectionSketch;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTime = "gpu__time_duration.sum";
constexpr std::string_view kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";

KernelTable table_of(const std::string& bytes) {
  Result<KernelTable> table = read_kernels_bytes(bytes, "x.strobe");
  EXPECT_TRUE(table) << table.error().what;
  return std::move(table).value();
}

TEST(RecordingTable, a_recording_is_recognised_and_becomes_a_list_of_kernels) {
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .metric(kDram)
                                         .device(0, "NVIDIA H200")
                                         .launch(5, "_Z6k_copyPK6float4", {533000, 83.2})
                                         .bytes());
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.source, KernelSource::kRecording);
  EXPECT_EQ(table.clock_policy, ClockPolicy::kFree);
  EXPECT_EQ(table.name(0), "k_copy(float4 const*)");
  EXPECT_EQ(table.strings[table.mangled_names[0]], "_Z6k_copyPK6float4");
  EXPECT_EQ(table.durations_ns[0], 533000);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 83.2);
  EXPECT_EQ(table.ids[0], 5u);
  EXPECT_EQ(table.grids[0], (LaunchShape{512, 1, 1}));
  EXPECT_EQ(table.streams[0], 7u);
  EXPECT_FALSE(table.has(KernelMetric::kRegistersPerThread));
  ASSERT_NE(table.device_of(0), nullptr);
  EXPECT_EQ(table.device_of(0)->name, "NVIDIA H200");
  EXPECT_EQ(table.device_of(0)->capability, "9.0");
  // 6016 bit at 3.201 GHz, twice per clock.
  EXPECT_NEAR(table.device_of(0)->dram_bytes_per_s, 4.814e12, 1e9);
}

TEST(RecordingTable, what_was_not_counted_is_missing) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .metric(kDram)
                                         .launch(0, "k", {1000, missing})
                                         .launch(1, "k", {1000, 0})
                                         .bytes());
  EXPECT_FALSE(table.value(KernelMetric::kDramPercent, 0));
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 0);
}

TEST(RecordingTable, launches_of_two_contexts_are_put_in_the_order_of_launching) {
  const KernelTable table = table_of(SectionSketch()
                                         .metric(kTime)
                                         .launch(1, "b", {2000})
                                         .launch(3, "d", {4000})
                                         .launch(0, "a", {1000})
                                         .launch(2, "c", {3000})
                                         .bytes());
  EXPECT_THAT(table.durations_ns, ElementsAre(1000, 2000, 3000, 4000));
}

TEST(RecordingTable, losses_and_missing_metrics_are_remarked) {
  SectionSketch sketch;
  sketch.metric(kTime).launch(0, "k", {1000});
  sketch.obstacle(wire::Obstacle::kUnknownMetric, "no__such.sum");
  sketch.header.launches_chosen = 9;
  sketch.header.graph_launches = 1;
  const KernelTable table = table_of(sketch.bytes());
  EXPECT_THAT(table.remarks, Contains(HasSubstr("8 of 9 launches of process 4242")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("1 graphs that process 4242")));
  EXPECT_THAT(table.remarks, Contains(HasSubstr("'no__such.sum'")));
}

TEST(RecordingTable, a_recording_without_a_launch_is_too_little) {
  const Result<KernelTable> table =
      read_kernels_bytes(SectionSketch().metric(kTime).bytes(), "x.strobe");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kTooLittleData);
}

}  // namespace
}  // namespace strobe::readers
