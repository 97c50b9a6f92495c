#include "strobe/trace/trace_builder.h"

#include <random>

#include <gtest/gtest.h>

#include "strobe/trace/extent.h"

namespace strobe {
namespace {

TraceBuilder::SliceRow row_of(SliceKind kind, std::int64_t start_ns, std::int64_t duration_ns) {
  TraceBuilder::SliceRow row;
  row.kind = kind;
  row.start_ns = start_ns;
  row.duration_ns = duration_ns;
  return row;
}

TEST(TraceBuilderTest, a_category_is_added_once) {
  TraceBuilder builder;
  const CategoryId kernel = builder.category("kernel");
  const CategoryId copy = builder.category("gpu_memcpy");
  EXPECT_NE(kernel, copy);
  EXPECT_EQ(builder.category("kernel"), kernel);
  EXPECT_EQ(builder.categories().size(), 2u);
}

TEST(TraceBuilderTest, what_is_added_is_what_the_trace_holds) {
  TraceBuilder builder;
  Track track;
  track.kind = TrackKind::kDeviceStream;
  const TrackId stream = builder.add_track(track);
  TraceBuilder::SliceRow row = row_of(SliceKind::kKernel, 100, 20);
  row.name = builder.intern("gemm");
  row.track = stream;
  row.category = builder.category("kernel");
  row.flags = kCommunicates;
  row.correlation = 7;
  row.external = 9;
  const SliceId slice = builder.add_slice(row);
  const Trace trace = std::move(builder).build();
  ASSERT_EQ(trace.slice_count(), 1u);
  EXPECT_EQ(trace.name(slice), "gemm");
  EXPECT_EQ(trace.kind(slice), SliceKind::kKernel);
  EXPECT_EQ(trace.interval(slice), (Interval{100, 120}));
  EXPECT_EQ(trace.track(slice).kind, TrackKind::kDeviceStream);
  EXPECT_EQ(trace.slices().flags[0], kCommunicates);
  EXPECT_EQ(trace.slices().correlations[0], 7u);
  EXPECT_EQ(trace.slices().externals[0], 9u);
  EXPECT_FALSE(trace.slices().args[0].valid());
}

TEST(TraceBuilderTest, slices_keep_the_order_in_which_they_came) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kOperator, 300, 1));
  builder.add_slice(row_of(SliceKind::kOperator, 100, 1));
  builder.add_slice(row_of(SliceKind::kOperator, 200, 1));
  const Trace trace = std::move(builder).build();
  EXPECT_EQ(trace.slices().starts_ns, (std::vector<std::int64_t>{300, 100, 200}));
}

TEST(TraceBuilderTest, the_extent_runs_from_the_first_start_to_the_last_end) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kRuntimeCall, 50, 10));
  builder.add_slice(row_of(SliceKind::kKernel, 20, 500));
  builder.add_slice(row_of(SliceKind::kOperator, 10, 5));
  EXPECT_EQ(std::move(builder).build().extent(), (Interval{10, 520}));
}

TEST(TraceBuilderTest, interpreter_frames_belong_to_the_extent) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kPythonCall, 0, 9'000));
  builder.add_slice(row_of(SliceKind::kOperator, 8'000, 5));
  builder.add_slice(row_of(SliceKind::kPythonCall, 8'990, 20));
  const Trace trace = std::move(builder).build();
  EXPECT_EQ(trace.extent(), (Interval{0, 9'010}));
  EXPECT_EQ(extent_without_frames(trace), (Interval{8'000, 8'005}));
}

TEST(TraceBuilderTest, the_profilers_own_slices_do_not_stretch_the_extent) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kProfiler, 0, 10'000));
  builder.add_slice(row_of(SliceKind::kOverhead, 0, 9'000));
  builder.add_slice(row_of(SliceKind::kDeviceAnnotation, 0, 9'000));
  builder.add_slice(row_of(SliceKind::kOperator, 100, 5));
  EXPECT_EQ(std::move(builder).build().extent(), (Interval{100, 105}));
}

// Pages that lie inside of what is known are not looked at.
TEST(TraceBuilderTest, packed_slices_have_the_extent_of_plain_ones) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    TraceBuilder plain;
    TraceBuilder packed;
    const std::size_t rows = 1 + random() % (5 * kPackedPageRows);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto forward = static_cast<std::int64_t>(i * (random() % 3));
      const std::int64_t length = random() % 1000 == 0 ? 100'000 : 5;
      const SliceKind kind = random() % 2 == 0 ? SliceKind::kOverhead : SliceKind::kOperator;
      const TraceBuilder::SliceRow row = row_of(kind, forward - 50 * round, length);
      plain.add_slice(row);
      packed.add_slice(row);
    }
    packed.pack_slices(rows);
    EXPECT_EQ(std::move(packed).build().extent(), std::move(plain).build().extent());
  }
}

TEST(TraceBuilderTest, an_empty_trace_has_an_empty_extent) {
  const Trace trace = TraceBuilder().build();
  EXPECT_EQ(trace.slice_count(), 0u);
  EXPECT_EQ(trace.extent(), (Interval{0, 0}));
}

TEST(TraceBuilderDeathTest, columns_of_unequal_length_are_a_bug) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kOperator, 1, 1));
  builder.slices().names.pop_back();
  EXPECT_EXIT((void)std::move(builder).build(), ::testing::ExitedWithCode(70),
              "every slice column has one entry per slice");
}

TEST(TraceBuilderDeathTest, nesting_hints_for_some_slices_only_are_a_bug) {
  TraceBuilder builder;
  builder.add_slice(row_of(SliceKind::kOperator, 1, 1));
  builder.add_slice(row_of(SliceKind::kOperator, 2, 1));
  builder.nesting_hints().ends_ns = {2};
  EXPECT_EXIT((void)std::move(builder).build(), ::testing::ExitedWithCode(70),
              "nesting hints are absent or complete");
}

}  // namespace
}  // namespace strobe
