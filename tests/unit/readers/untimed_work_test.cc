#include "strobe/readers/untimed_work.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "strobe/readers/trace_reader.h"
#include "tests/support/trace_text.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

LoadedTrace load_untimed(const std::string& text, const LoadOptions& options = {.threads = 1}) {
  auto loaded = read_trace_bytes(text, "trace.json", options);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  return std::move(loaded).value();
}

// As a profiler of 2021 wrote it when the device had no time for the second kernel.
const std::string kUntimedKernel =
    R"({"ph": "X", "cat": "Kernel", "name": "volta_sgemm_64x64_nt", "pid": 0, "tid": "stream 7",
        "ts": 0, "dur": 0, "args": {"queued": 0, "device": 0, "stream": 7, "correlation": 106126,
        "external id": 4}})";
const std::string kWithUntimedKernel =
    R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "Operator", "name": "aten::addmm", "pid": 29463, "tid": "3239786240",
 "ts": 1615207264001000, "dur": 60, "args": {"External id": 2, "Sequence number": 5}},
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 29463, "tid": "3239786240",
 "ts": 1615207264001010, "dur": 6, "args": {"cbid": 211, "correlation": 106124, "external id": 2}},
{"ph": "X", "cat": "Kernel", "name": "volta_sgemm_64x64_nt", "pid": 0, "tid": "stream 7",
 "ts": 1615207264001030, "dur": 900, "args": {"device": 0, "stream": 7, "correlation": 106124}},
)" + kUntimedKernel +
    R"(,
{"ph": "f", "id": 106126, "pid": 0, "tid": "stream 7", "ts": 0, "cat": "async", "name": "launch",
 "bp": "e"},
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 29463, "tid": "3239786240",
 "ts": 1615207264002010, "dur": 6, "args": {"cbid": 211, "correlation": 106126, "external id": 4}},
{"ph": "X", "cat": "Operator", "name": "aten::mul", "pid": 29463, "tid": "3239786240",
 "ts": 1615207264002000, "dur": 60, "args": {"External id": 4, "Sequence number": 6}}
]})";

TEST(UntimedWorkTest, work_without_a_time_is_left_out_and_counted) {
  const LoadedTrace loaded = load_untimed(kWithUntimedKernel);
  EXPECT_EQ(loaded.trace.slice_count(), 5u);
  EXPECT_EQ(loaded.trace.extent(),
            (Interval{1'615'207'264'001'000'000, 1'615'207'264'002'060'000}));
  const ImportReport::Line& line = loaded.report[ImportIssue::kMissingTime];
  ASSERT_EQ(line.count, 1u);
  EXPECT_EQ(line.examples[0].byte_offset, kWithUntimedKernel.find(kUntimedKernel));
  EXPECT_EQ(line.examples[0].detail, "device work at time 0");
  EXPECT_TRUE(loaded.report.lost_something());
}

TEST(UntimedWorkTest, what_comes_after_it_keeps_its_own_values) {
  const Trace trace = load_untimed(kWithUntimedKernel).trace;
  ASSERT_EQ(trace.slice_count(), 5u);
  EXPECT_EQ(trace.name(SliceId(3)), "cudaLaunchKernel");
  EXPECT_EQ(trace.slices().correlations[3], 106126u);
  EXPECT_EQ(trace.name(SliceId(4)), "aten::mul");
  EXPECT_EQ(trace.kind(SliceId(4)), SliceKind::kOperator);
  EXPECT_THAT(trace.sequences().slices, ElementsAre(SliceId(0), SliceId(4)));
  EXPECT_THAT(trace.sequences().sequence_numbers, ElementsAre(5, 6));
}

TEST(UntimedWorkTest, pieces_and_threads_do_not_change_the_answer) {
  const LoadedTrace whole = load_untimed(kWithUntimedKernel);
  const LoadedTrace split = load_untimed(kWithUntimedKernel, {.threads = 2, .piece_bytes = 256});
  EXPECT_EQ(testing::describe(split.trace), testing::describe(whole.trace));
  EXPECT_EQ(testing::describe(split.report), testing::describe(whole.report));
}

// Newer writers count from a base time, and cut off what lies before it: the end too.
TEST(UntimedWorkTest, a_writer_with_a_base_time_cuts_it_off_at_0) {
  const LoadedTrace loaded = load_untimed(
      R"json({"schemaVersion": 1, "baseTimeNanoseconds": 1727740800000000000, "traceEvents": [
          {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9,
           "ts": 573720833244.563, "dur": 6.1, "args": {"correlation": 3}},
          {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7,
           "ts": 0.000, "dur": 0.000, "args": {"device": 0, "stream": 7, "correlation": 4}},
          {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
           "ts": 573720833260.112, "dur": 90.5, "args": {"device": 0, "correlation": 3}}]})json");
  EXPECT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 1u);
  EXPECT_EQ(loaded.report[ImportIssue::kOrphanDeviceWork].count, 0u);
}

TEST(UntimedWorkTest, work_at_the_start_of_a_clock_is_real) {
  const LoadedTrace loaded = load_untimed(
      R"json({"schemaVersion": 1, "traceEvents": [
          {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7,
           "ts": 0, "dur": 0, "args": {"device": 0, "stream": 7, "correlation": 4}},
          {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
           "ts": 2000000, "dur": 90, "args": {"device": 0, "stream": 7, "correlation": 3}}]})json");
  EXPECT_EQ(loaded.trace.slice_count(), 2u);
  EXPECT_EQ(loaded.report[ImportIssue::kMissingTime].count, 0u);
}

TEST(UntimedWorkTest, a_host_range_at_time_0_is_kept) {
  const LoadedTrace loaded = load_untimed(
      R"({"schemaVersion": 1, "traceEvents": [
          {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 0},
          {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1,
           "ts": 1615207264001000, "dur": 9}]})");
  EXPECT_EQ(loaded.trace.slice_count(), 2u);
}

}  // namespace
}  // namespace strobe::readers
