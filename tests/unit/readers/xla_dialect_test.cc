#include <string>

#include <gtest/gtest.h>

#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kXlaTrace = R"json({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:2"}},
{"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Compute)"}},
{"ph":"M","pid":1,"tid":15,"name":"thread_name","args":{"name":"XLA Modules"}},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"M","pid":701,"tid":9,"name":"thread_name","args":{"name":"python3"}},
{"ph":"X","pid":701,"tid":9,"ts":1,"dur":90,"name":"train","args":{"step_num":"4"}},
{"ph":"X","pid":701,"tid":9,"ts":2.5,"dur":3,"name":"cuLaunchKernel","args":{"correlation_id":"7"}},
{"ph":"X","pid":701,"tid":9,"ts":6,"dur":1,"name":"$builtins len"},
{"ph":"X","pid":1,"tid":14,"ts":10,"dur":0.769,"name":"_Z4gemmPf","args":{"correlation_id":"7"}},
{"ph":"X","pid":1,"tid":14,"ts":12,"dur":5,"name":"MemcpyD2H"},
{"ph":"X","pid":1,"tid":15,"ts":10,"dur":9,"name":"jit_step"},{}]})json";

TEST(XlaDialect, tells_work_calls_steps_and_ranges_apart) {
  for (const bool keep_args : {true, false}) {
    LoadOptions options;
    options.keep_args = keep_args;
    const auto loaded = read_trace_bytes(kXlaTrace, "trace.json", options);
    ASSERT_TRUE(loaded);
    const Trace& trace = loaded->trace;
    EXPECT_EQ(trace.traits().dialect, "xla");
    ASSERT_EQ(trace.slice_count(), 6u);
    const auto& kinds = trace.slices().kinds;
    EXPECT_EQ(kinds[0], SliceKind::kStep);
    EXPECT_EQ(trace.name(SliceId(0)), "train 4");
    EXPECT_EQ(kinds[1], SliceKind::kRuntimeCall);
    EXPECT_EQ(kinds[2], SliceKind::kPythonCall);
    EXPECT_EQ(kinds[3], SliceKind::kKernel);
    EXPECT_EQ(trace.name(SliceId(3)), "gemm(float*)");
    EXPECT_EQ(kinds[4], SliceKind::kMemcpy);
    EXPECT_EQ(kinds[5], SliceKind::kDeviceAnnotation);
    EXPECT_EQ(trace.slices().correlations[1], trace.slices().correlations[3]);
    EXPECT_EQ(trace.track(SliceId(3)).device, 2);
    EXPECT_EQ(loaded->report[ImportIssue::kOrphanDeviceWork].count, 1u) << "the copy has no call";
  }
}

}  // namespace
}  // namespace strobe::readers
