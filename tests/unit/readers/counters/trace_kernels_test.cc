#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/support/sketch.h"

namespace strobe::readers {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;

TEST(TraceKernels, come_by_device_then_start_and_copies_are_none) {
  const Trace trace = Sketch()
                          .stream(1, 7)
                          .slice("c", SliceKind::kKernel, 5_us, 3_us)
                          .stream(0, 9)
                          .slice("b", SliceKind::kKernel, 30_us, 2_us)
                          .correlation(12)
                          .slice("copy", SliceKind::kMemcpy, 35_us, 2_us)
                          .slice("set", SliceKind::kMemset, 38_us, 2_us)
                          .stream(0, 7)
                          .slice("a", SliceKind::kKernel, 10_us, 1_us)
                          .correlation(11)
                          .trace();
  const KernelTable table = kernels_of(trace, "trace.json");
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.source, KernelSource::kTrace);
  EXPECT_EQ(table.path, "trace.json");
  EXPECT_EQ(table.name(0), "a");
  EXPECT_EQ(table.name(1), "b");
  EXPECT_EQ(table.name(2), "c");
  EXPECT_THAT(table.durations_ns, ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(table.ids, ElementsAre(11, 12, 2));
  EXPECT_THAT(table.device_indices, ElementsAre(0, 0, 1));
  EXPECT_THAT(table.streams, ElementsAre(7, 9, 7));
  EXPECT_TRUE(table.contexts.empty());
  EXPECT_FALSE(table.has(KernelMetric::kTensorPercent)) << "absent, not zero";
}

TEST(TraceKernels, the_numbers_of_a_launch_come_from_its_arguments) {
  Sketch sketch;
  DeviceProperties properties;
  properties.id = 0;
  properties.name = "Some Chip";
  properties.compute_major = 9;
  properties.multiprocessors = 132;
  sketch.metadata().devices = {properties};
  const Trace trace = sketch.stream(0, 7)
                          .slice("f", SliceKind::kKernel, 0_us, 1_us)
                          .args(R"({"grid": [2, 66, 1], "block": [384, 1, 1], "context": 3,
                    "registers per thread": 168, "shared memory": 213204, "blocks per SM": 1.5,
                    "warps per SM": 12.25, "est. achieved occupancy %": 19})")
                          .slice("g", SliceKind::kKernel, 2_us, 1_us)
                          .args(R"({"est. achieved occupancy %": 0, "grid": "?"})")
                          .slice("h", SliceKind::kKernel, 4_us, 1_us)
                          .trace();
  const KernelTable table = kernels_of(trace, "t");
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.grids[0], (LaunchShape{2, 66, 1}));
  EXPECT_EQ(table.blocks[0], (LaunchShape{384, 1, 1}));
  EXPECT_FALSE(table.grids[1].is_known());
  EXPECT_EQ(table.contexts[0], 3u);
  EXPECT_EQ(table.value(KernelMetric::kRegistersPerThread, 0), 168);
  EXPECT_EQ(table.value(KernelMetric::kSharedBytesPerBlock, 0), 213204);
  EXPECT_EQ(table.value(KernelMetric::kBlocksPerSm, 0), 1.5);
  EXPECT_EQ(table.value(KernelMetric::kWarpsPerSm, 0), 12.25);
  EXPECT_EQ(table.value(KernelMetric::kEstimatedOccupancyPercent, 0), 19);
  EXPECT_EQ(table.value(KernelMetric::kEstimatedOccupancyPercent, 1), std::nullopt);
  EXPECT_EQ(table.metrics[static_cast<std::size_t>(KernelMetric::kBlocksPerSm)].size(), 3u);
  ASSERT_EQ(table.devices.size(), 1u);
  EXPECT_EQ(table.devices[0].name, "Some Chip");
  EXPECT_EQ(table.devices[0].capability, "9.0");
  EXPECT_EQ(table.devices[0].sm_count, 132);
}

}  // namespace
}  // namespace strobe::readers
