#include "strobe/readers/recording/device_rows.h"

#include <gmock/gmock.h>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::args_of;
using test::RecordedSketch;
using test::RunFileSketch;
using test::SinkSketch;
using ::testing::HasSubstr;
using wire::ShapeWhat;

Trace work_of(const RecordedSketch& sketch, SinkSketch& to) {
  LaunchNumbers launches(sketch.file().segments().size());
  launches.number_segments();
  EXPECT_TRUE(add_device_work(sketch.file(), launches, to.sink));
  return to.trace();
}

TEST(DeviceRowsTest, a_kernel_is_a_slice_on_its_stream) {
  const RecordedSketch sketch(
      [](RunFileSketch& run) { run.work(run.kernel_shape("_Z4gemmPf", 1, 13), 1000, 50, 3); });
  SinkSketch to;
  const Trace trace = work_of(sketch, to);
  ASSERT_EQ(trace.slice_count(), 1u);
  const SliceId kernel(std::size_t{0});
  EXPECT_EQ(trace.name(kernel), "gemm(float*)");
  EXPECT_EQ(trace.kind(kernel), SliceKind::kKernel);
  EXPECT_EQ(trace.start_ns(kernel), 1000);
  EXPECT_EQ(trace.duration_ns(kernel), 50);
  EXPECT_EQ(trace.slices().correlations[0], 3u);
  EXPECT_EQ(trace.slices().externals[0], kNoLaunchId);
  EXPECT_EQ(trace.slices().flags[0], kNoFlags);
  EXPECT_EQ(trace.track(kernel).device, 1);
  EXPECT_EQ(trace.track(kernel).thread_number, 13);
  EXPECT_EQ(trace.strings()[trace.categories()[0].name], "kernel");
  EXPECT_THAT(args_of(trace, 0), HasSubstr(R"("grid":[4,2,1])"));
}

TEST(DeviceRowsTest, slices_of_one_shape_share_their_arguments) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto shape = run.kernel_shape("gemm");
    run.work(shape, 1000, 50, 1).work(shape, 2000, 50, 2);
  });
  SinkSketch to;
  const Trace trace = work_of(sketch, to);
  EXPECT_EQ(trace.slices().args[0], trace.slices().args[1]);
  EXPECT_EQ(trace.args().size(), 1u);
}

TEST(DeviceRowsTest, kernels_that_communicate_are_marked) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.work(run.kernel_shape("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"), 5, 1);
  });
  SinkSketch to;
  EXPECT_EQ(work_of(sketch, to).slices().flags[0], kCommunicates);
}

TEST(DeviceRowsTest, copies_and_memsets_have_bytes) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto copy = run.shape(ShapeWhat::kCopy, "Memcpy HtoD (Pageable -> Device)", 0, 7);
    const auto memset = run.shape(ShapeWhat::kMemset, "Memset (Device)", 0, 7);
    run.copy(copy, 10, 1, 1, 4096).copy(memset, 20, 1, 2, 512).copy(copy, 30, 1, 3, 4096);
  });
  SinkSketch to;
  const Trace trace = work_of(sketch, to);
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kMemcpy);
  EXPECT_EQ(trace.slices().kinds[1], SliceKind::kMemset);
  EXPECT_EQ(trace.name(SliceId(std::size_t{0})), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_THAT(args_of(trace, 0), HasSubstr(R"("bytes":4096)"));
  EXPECT_THAT(args_of(trace, 1), HasSubstr(R"("bytes":512)"));
  EXPECT_EQ(trace.slices().args[0], trace.slices().args[2]);
}

TEST(DeviceRowsTest, graphs_that_were_recorded_whole_are_counted) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto graph = run.shape(ShapeWhat::kGraph, "", 0, 7, 42);
    const auto kernel = run.kernel_shape("gemm");
    run.work(graph, 10, 5, 1).work(kernel, 20, 5, 2).work(graph, 30, 5, 3);
  });
  SinkSketch to;
  const Trace trace = work_of(sketch, to);
  EXPECT_EQ(to.report[ImportIssue::kWholeGraphs].count, 2u);
  EXPECT_EQ(trace.name(SliceId(std::size_t{0})), "CUDA graph 42");
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kKernel);
}

TEST(DeviceRowsTest, work_whose_shape_is_lost_is_kept) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto shape = run.kernel_shape("gemm");
    run.work(shape, 10, 5, 1).work(shape + 1, 20, 5, 2).copy(shape + 1, 30, 5, 3, 64);
  });
  SinkSketch to;
  const Trace trace = work_of(sketch, to);
  ASSERT_EQ(trace.slice_count(), 3u);
  EXPECT_EQ(trace.name(SliceId(std::size_t{0})), "gemm");
  EXPECT_EQ(trace.name(SliceId(std::size_t{1})), "(lost name)");
  EXPECT_EQ(trace.slices().kinds[1], SliceKind::kKernel);
  EXPECT_EQ(trace.slices().kinds[2], SliceKind::kMemcpy);
  EXPECT_EQ(trace.track(SliceId(std::size_t{1})).kind, TrackKind::kDeviceStream);
}

TEST(DeviceRowsTest, without_loss_there_is_no_track_for_the_lost) {
  const RecordedSketch sketch(
      [](RunFileSketch& run) { run.work(run.kernel_shape("gemm", 3, 7), 10, 5, 1); });
  SinkSketch to;
  EXPECT_EQ(work_of(sketch, to).tracks().size(), 1u);
}

TEST(DeviceRowsTest, without_arguments_none_are_kept) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.work(run.kernel_shape("gemm"), 10, 5, 1);
    run.copy(run.shape(ShapeWhat::kCopy, "Memcpy", 0, 7), 20, 5, 2, 64);
  });
  SinkSketch to({.keep_args = false});
  const Trace trace = work_of(sketch, to);
  EXPECT_TRUE(trace.args().empty());
  EXPECT_FALSE(trace.slices().args[1].valid());
}

TEST(DeviceRowsTest, loading_ends_when_it_is_cancelled) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto shape = run.kernel_shape("gemm");
    run.work(shape, 10, 5, 1).work(shape, 20, 5, 1);
  });
  const std::atomic<bool> cancelled = true;
  SinkSketch to({.cancelled = &cancelled});
  LaunchNumbers launches(1);
  EXPECT_FALSE(add_device_work(sketch.file(), launches, to.sink));
  EXPECT_EQ(to.sink.builder.slices().size(), 1u);
}

}  // namespace
}  // namespace strobe::readers
