#include "strobe/readers/recording/host_rows.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::args_of;
using test::RecordedSketch;
using test::RunFileSketch;
using test::SinkSketch;
using ::testing::ElementsAre;
using wire::ChunkKind;
using wire::RangeWhat;

constexpr std::int64_t kProcess = 17;

Trace ranges_of(const RecordedSketch& sketch, SinkSketch& to) {
  EXPECT_TRUE(add_ranges(sketch.file(), kProcess, to.sink));
  return to.trace();
}

std::vector<std::string> slice_names(const Trace& trace) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) names.emplace_back(trace.name(SliceId(i)));
  return names;
}

TEST(HostRowsTest, ranges_come_in_the_order_of_their_starts_with_kinetos_kinds) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto main = run.thread(21, "main");
    run.range(main, "forward", 200, 50)
        .range(main, "nccl:all_reduce", 300, 50)
        .range(main, "epoch", 100, 900);
  });
  SinkSketch to;
  const Trace trace = ranges_of(sketch, to);
  EXPECT_THAT(slice_names(trace), ElementsAre("epoch", "forward", "nccl:all_reduce"));
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kAnnotation, SliceKind::kForward, SliceKind::kCommunication));
  const Track& track = trace.track(SliceId(std::size_t{0}));
  EXPECT_EQ(track.kind, TrackKind::kHostThread);
  EXPECT_EQ(track.process_number, kProcess);
  EXPECT_EQ(track.thread_number, 21);
}

TEST(HostRowsTest, operators_of_torch_are_operators_and_linked_with_their_backward) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto main = run.thread(21);
    run.range(main, "aten::mm, seq = 4, op_id = 9", 110, 5)
        .range(main, "forward, op_id = 8", 100, 50)
        .range(main, "MmBackward0, seq = 4, op_id = 12", 200, 5);
  });
  SinkSketch to;
  const Trace trace = ranges_of(sketch, to);
  EXPECT_THAT(slice_names(trace), ElementsAre("forward", "aten::mm", "MmBackward0"));
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kForward, SliceKind::kOperator, SliceKind::kOperator));
  EXPECT_EQ(trace.slices().flags[2], kBackwardWork);
  EXPECT_THAT(trace.sequences().slices,
              ElementsAre(SliceId(std::size_t{1}), SliceId(std::size_t{2})));
  EXPECT_THAT(trace.sequences().sequence_numbers, ElementsAre(4, 4));
  EXPECT_EQ(trace.sequences().forward_threads[0], 0);
  EXPECT_NE(trace.sequences().forward_threads[1], 0);
  EXPECT_EQ(args_of(trace, 1), R"({"Record function id":9,"Sequence number":4})");
}

TEST(HostRowsTest, free_ranges_have_a_track_and_marks_are_instants) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto main = run.thread(21);
    run.range(main, "request 1", 100, 50, RangeWhat::kFree)
        .range(main, "request 2", 120, 50, RangeWhat::kFree)
        .range(main, "here", 130, 0, RangeWhat::kMark);
  });
  SinkSketch to;
  const Trace trace = ranges_of(sketch, to);
  ASSERT_EQ(trace.slice_count(), 2u);
  EXPECT_EQ(trace.track(SliceId(std::size_t{0})).kind, TrackKind::kAsync);
  ASSERT_EQ(trace.instants().size(), 1u);
  EXPECT_EQ(trace.strings()[trace.instants().names[0]], "here");
  EXPECT_EQ(trace.instants().times_ns[0], 130);
}

TEST(HostRowsTest, domains_categories_and_payloads_become_arguments) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto main = run.thread(21);
    const auto name = run.text("copy");
    const auto domain = run.text("NCCL");
    run.rows(ChunkKind::kRanges, {{main, name, domain, 0, 0, 100, 5, 0, 0},
                                  {main, name, domain, 0, 0, 200, 5, 0, 0},
                                  {main, name, domain, 0, run.text("c"), 300, 5, 1, 42}});
  });
  SinkSketch to;
  const Trace trace = ranges_of(sketch, to);
  EXPECT_EQ(args_of(trace, 0), R"({"domain":"NCCL"})");
  EXPECT_EQ(trace.slices().args[0], trace.slices().args[1]);
  EXPECT_EQ(args_of(trace, 2), R"({"domain":"NCCL","category":"c","payload":42})");
}

TEST(HostRowsTest, a_range_of_an_unknown_thread_is_nobodys) {
  const RecordedSketch sketch(
      [](RunFileSketch& run) { run.range(wire::kNoThread, "forward", 100, 5); });
  SinkSketch to;
  const Trace trace = ranges_of(sketch, to);
  EXPECT_EQ(trace.track(SliceId(std::size_t{0})).thread_number, TrackFinder::kNobody);
}

Trace calls_of(const RecordedSketch& sketch, SinkSketch& to) {
  LaunchNumbers launches(sketch.file().segments().size());
  EXPECT_TRUE(add_calls(sketch.file(), kProcess, launches, to.sink));
  return to.trace();
}

TEST(HostRowsTest, calls_are_runtime_calls_with_their_correlation) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    const auto main = run.thread(21);
    run.call(main, "cuLaunchKernel", 102, 3, 0)
        .call(main, "cudaLaunchKernel", 100, 10, 7)
        .call(main, "cudaMalloc", 200, 10, 8, 2);
  });
  SinkSketch to;
  const Trace trace = calls_of(sketch, to);
  EXPECT_THAT(slice_names(trace), ElementsAre("cudaLaunchKernel", "cuLaunchKernel", "cudaMalloc"));
  EXPECT_THAT(trace.slices().kinds, ::testing::Each(SliceKind::kRuntimeCall));
  EXPECT_THAT(trace.slices().correlations, ElementsAre(7, kNoLaunchId, 8));
  EXPECT_EQ(trace.strings()[trace.categories()[trace.slices().categories[1].index()].name],
            "cuda_driver");
  EXPECT_EQ(args_of(trace, 0), "");
  EXPECT_EQ(args_of(trace, 2), R"({"result":2})");
}

TEST(HostRowsTest, correlations_that_start_again_stay_apart) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    for (int window = 0; window < 2; ++window) {
      const auto main = run.thread(21);
      const auto start = static_cast<std::uint64_t>(1000 * (window + 1));
      run.call(main, "cudaLaunchKernel", start, 10, 1)
          .call(main, "cudaLaunchKernel", start + 20, 10, 2);
      run.segment();
    }
  });
  SinkSketch to;
  EXPECT_THAT(calls_of(sketch, to).slices().correlations, ElementsAre(1, 2, 3, 4));
}

TEST(HostRowsTest, waits_for_the_device_have_a_track_of_their_own) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.rows(ChunkKind::kSyncs, {{run.text("Stream Sync"), 1, 7, 100, 50, 3},
                                 {run.text("Context Sync"), 1, wire::kNoStream, 120, 60, 4}});
  });
  SinkSketch to;
  LaunchNumbers launches(1);
  launches.number_segments();
  ASSERT_TRUE(add_syncs(sketch.file(), kProcess, launches, to.sink));
  const Trace trace = to.trace();
  EXPECT_THAT(slice_names(trace), ElementsAre("Stream Sync", "Context Sync"));
  EXPECT_EQ(trace.slices().kinds[0], SliceKind::kSync);
  EXPECT_EQ(trace.slices().correlations[0], 3u);
  EXPECT_EQ(trace.track(SliceId(std::size_t{0})).kind, TrackKind::kAsync);
  EXPECT_EQ(args_of(trace, 0), R"({"context":1,"stream":7})");
}

}  // namespace
}  // namespace strobe::readers
