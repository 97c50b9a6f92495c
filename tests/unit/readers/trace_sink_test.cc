#include "strobe/readers/trace_sink.h"

#include <atomic>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TraceBuilder::SliceRow row_of(TraceSink& sink, std::int64_t start_ns) {
  TraceBuilder::SliceRow row;
  row.start_ns = start_ns;
  row.name = sink.name("gemm");
  row.track = sink.tracks.stream(0, 7);
  row.category = sink.builder.category("kernel");
  row.kind = SliceKind::kKernel;
  return row;
}

TEST(TraceSinkTest, names_become_valid_text) {
  const LoadOptions options;
  TraceSink sink(options);
  EXPECT_EQ(sink.builder.strings()[sink.name("gemm")], "gemm");
  EXPECT_TRUE(sink.report.is_clean());
  EXPECT_EQ(sink.builder.strings()[sink.name("a\xff")], "a\xEF\xBF\xBD");
  EXPECT_EQ(sink.report[ImportIssue::kBadString].count, 1u);
}

TEST(TraceSinkTest, a_duration_that_cannot_be_becomes_none) {
  const LoadOptions options;
  TraceSink sink(options);
  sink.add(row_of(sink, 10), 25);
  sink.add(row_of(sink, 30), 20, 64);
  sink.add(row_of(sink, std::numeric_limits<std::int64_t>::min()),
           std::numeric_limits<std::int64_t>::max(), 128);
  EXPECT_EQ(sink.builder.slices().durations_ns, (std::vector<std::int64_t>{15, 0, 0}));
  EXPECT_EQ(sink.report[ImportIssue::kNegativeDuration].examples.at(0).byte_offset, 64u);
  EXPECT_EQ(sink.report[ImportIssue::kAbsurdTime].examples.at(0).byte_offset, 128u);
}

TEST(TraceSinkTest, events_are_counted_by_category) {
  const LoadOptions options;
  TraceSink sink(options);
  sink.add(row_of(sink, 10), 25);
  sink.add(row_of(sink, 5), 7);
  sink.order_slices();
  const Trace trace = sink.finish();
  EXPECT_EQ(trace.slices().starts_ns[0], 5);
  EXPECT_EQ(sink.report.event_count, 2u);
  EXPECT_EQ((sink.report.events[{'X', "kernel"}]), 2u);
  EXPECT_EQ(sink.report[ImportIssue::kOrphanDeviceWork].count, 2u);
}

TEST(TraceSinkTest, reading_stops_when_it_is_cancelled_or_too_much) {
  std::atomic<bool> cancelled = false;
  const LoadOptions options{.cancelled = &cancelled, .most_events = 1};
  TraceSink sink(options);
  sink.add(row_of(sink, 10), 25);
  EXPECT_TRUE(sink.pulse(1));
  sink.add(row_of(sink, 30), 35);
  EXPECT_FALSE(sink.pulse(1));
  EXPECT_EQ(sink.why_stopped().code, ErrorCode::kMalformed);
  cancelled = true;
  EXPECT_EQ(sink.why_stopped().code, ErrorCode::kInterrupted);
}

TEST(TraceSinkTest, progress_is_a_share_of_the_file) {
  std::vector<std::uint64_t> seen;
  LoadOptions options;
  options.progress = [&](const LoadProgress& progress) { seen.push_back(progress.bytes_done); };
  TraceSink sink(options, 1000);
  sink.expect(4);
  sink.pulse(1);
  sink.pulse(2);
  sink.pulse(9);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{250, 750, 1000}));
}

TEST(TraceSinkTest, without_arguments_none_are_kept) {
  const LoadOptions options{.keep_args = false};
  TraceSink sink(options);
  EXPECT_FALSE(sink.keep(R"({"a": 1})").valid());
}

}  // namespace
}  // namespace strobe::readers
