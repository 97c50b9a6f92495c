#include "strobe/readers/rocm/work_rows.h"

#include <gtest/gtest.h>

#include "strobe/trace/args_store.h"

namespace strobe::readers {
namespace {

TEST(WorkRowsTest, names_are_freed_from_quotes_manglings_and_endings) {
  const LoadOptions options;
  TraceSink sink(options);
  WorkRows rows(sink, "test");
  const auto name = [&](std::string_view written) {
    return std::string(sink.builder.strings()[rows.kernel_name(written).id]);
  };
  EXPECT_EQ(name("\"fill(int) [clone .kd]\""), "fill(int)");
  EXPECT_EQ(name("__amd_rocclr_fillBufferAligned.kd"), "__amd_rocclr_fillBufferAligned");
  EXPECT_EQ(name("_Z3fooPf.kd"), "foo(float*)");
  EXPECT_EQ(name(""), "(no name)");
  EXPECT_EQ(rows.kernel_name("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)").flags,
            kCommunicates);
}

TEST(WorkRowsTest, a_grid_in_work_items_becomes_blocks) {
  const LoadOptions options;
  TraceSink sink(options);
  WorkRows rows(sink, "test");
  KernelRow kernel{.times = {10, 30}, .name = rows.kernel_name("f"), .device = 2, .stream = 5};
  kernel.facts.grid = {1000, 4, 1};
  kernel.facts.block = {256, 1, 1};
  kernel.facts.registers = 24;
  rows.add_kernel(kernel);
  rows.finish();
  const Trace trace = sink.finish();
  ArgsReader args(trace.args());
  EXPECT_EQ(args.text(trace.slices().args[0]),
            R"({"device":2,"stream":5,"registers per thread":24,"shared memory":0,)"
            R"("grid":[4,4,1],"block":[256,1,1]})");
  EXPECT_EQ(trace.tracks()[0].device, 2);
}

TEST(WorkRowsTest, the_way_of_a_copy_is_found_in_all_spellings) {
  EXPECT_EQ(copy_way("MEMORY_COPY_HOST_TO_DEVICE"), CopyWay::kHostToDevice);
  EXPECT_EQ(copy_way("DEVICE_TO_HOST"), CopyWay::kDeviceToHost);
  EXPECT_EQ(copy_way("CopyDeviceToDevice"), CopyWay::kDeviceToDevice);
  EXPECT_EQ(copy_way("MEMORY_COPY_HOST_TO_HOST"), CopyWay::kHostToHost);
  EXPECT_EQ(copy_way("hipMemcpyHtoDAsync"), CopyWay::kHostToDevice);
  EXPECT_EQ(copy_way("async-copy"), CopyWay::kUnknown);
  EXPECT_EQ(way_between(true, false), CopyWay::kDeviceToHost);
  EXPECT_EQ(way_between(false, true), CopyWay::kHostToDevice);
}

TEST(WorkRowsTest, a_copy_from_host_to_host_is_no_work_of_a_device) {
  const LoadOptions options;
  TraceSink sink(options);
  WorkRows rows(sink, "test");
  rows.add_copy({.times = {0, 5}, .way = CopyWay::kHostToHost, .bytes = 8});
  rows.add_copy({.times = {5, 9}, .way = CopyWay::kHostToDevice, .device = 1, .bytes = 8});
  rows.finish();
  const Trace trace = sink.finish();
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kOther);
  EXPECT_EQ(trace.slices().kinds[1], SliceKind::kMemcpy);
  EXPECT_EQ(trace.name(SliceId(1)), "Memcpy HtoD (Host -> Device)");
}

TEST(WorkRowsTest, calls_are_told_from_ranges_and_from_the_tracer) {
  EXPECT_EQ(WorkRows::call_kind("hipMalloc", ""), SliceKind::kRuntimeCall);
  EXPECT_EQ(WorkRows::call_kind("__hipPushCallConfiguration", "HIP_COMPILER_API_EXT"),
            SliceKind::kRuntimeCall);
  EXPECT_EQ(WorkRows::call_kind("OpTable::writeRows", ""), SliceKind::kOverhead);
  EXPECT_EQ(WorkRows::call_kind("ncclAllReduce", "RCCL_API"), SliceKind::kCommunication);
  EXPECT_EQ(WorkRows::call_kind("forward", "MARKER_CORE_RANGE_API"), SliceKind::kAnnotation);
  EXPECT_EQ(WorkRows::call_kind("my range", ""), SliceKind::kAnnotation);
}

}  // namespace
}  // namespace strobe::readers
