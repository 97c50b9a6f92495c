#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/readers/dialect.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/trace_totals.h"

namespace strobe::readers {
namespace {

using strobe::testing::Total;

constexpr std::string_view kRocmEvents = R"~([ {}
,{"name": "process_name", "ph": "M", "pid":"2","args":{"name":"GPU2"}}
,{"name":"thread_name","ph":"M","pid":"10","tid":"11","args":{"name":"Hip 11"}}
,{"pid":"2","tid":"0","name":"CopyHostToDevice","ts":"100","dur":"20","ph":"X","args":{"desc":"CopyHostToDevice"}}
,{"pid":"2","tid":"0","name":"f(int) [clone .kd]","ts":"130","dur":"5","ph":"X","args":{"desc":"KernelExecution"}}
,{"pid":"2","tid":"0","name":"f(int) [clone .kd]","ts":"130","dur":"6","ph":"X","args":{"desc":"KernelExecution"}}
,{"pid":"2","tid":"0","name":"FillBuffer","ts":"140","dur":"1","ph":"X","args":{"desc":"FillBuffer"}}
,{"pid":"10","tid":"11","name":"hipLaunchKernel","ts":"90","dur":"3","ph":"X","args":{"desc":""}}
,{"pid":"10","tid":"11","name":"hipGraphLaunch","ts":"95","dur":"3","ph":"X","args":{"desc":""}}
,{"pid":"10","tid":"11","name":"OpTable::writeRows","ts":"200","dur":"3","ph":"X","args":{"desc":"count=2"}}
,{"pid":"10","tid":"11","name":"my range","ts":"80","dur":"100","ph":"X","args":{"desc":"my range"}}
,{"pid":"10","tid":"11","cat":"api_op","name":"api_op","ts":"92","id":"1","ph":"s"}
,{"pid":"2","tid":"0","cat":"api_op","name":"api_op","ts":"130","id":"1","ph":"f", "bp":"e"}
,{"pid":"10","tid":"11","cat":"api_op","name":"api_op","ts":"96","id":"2","ph":"s"}
,{"pid":"2","tid":"0","cat":"api_op","name":"api_op","ts":"130","id":"2","ph":"f", "bp":"e"}
])~";

TEST(RocmDialectTest, processes_of_devices_hold_device_work) {
  const auto loaded = read_trace_bytes(kRocmEvents, "a.json");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(trace.metadata().traits.dialect, "rocprof");
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kKernel),
            (std::map<std::string, Total>{{"f(int)", {2, 11'000}}}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemcpy), (Total{1, 20'000}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemset), (Total{1, 1'000}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall), (Total{2, 6'000}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kOverhead), (Total{1, 3'000}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kAnnotation), (Total{1, 100'000}));
  EXPECT_EQ(strobe::testing::device_times(trace).begin()->first, 2);
}

TEST(RocmDialectTest, arrows_join_calls_with_their_work) {
  const auto loaded = read_trace_bytes(kRocmEvents, "a.json");
  ASSERT_TRUE(loaded);
  const SliceColumns& slices = loaded->trace.slices();
  std::map<std::string, std::uint32_t> calls;
  std::vector<std::uint32_t> kernels;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (slices.kinds[row] == SliceKind::kRuntimeCall) {
      calls[std::string(loaded->trace.name(SliceId(row)))] = slices.correlations[row];
    }
    if (slices.kinds[row] == SliceKind::kKernel) kernels.push_back(slices.correlations[row]);
  }
  EXPECT_EQ(kernels, (std::vector{calls["hipLaunchKernel"], calls["hipGraphLaunch"]}));
  EXPECT_NE(kernels[0], kNoLaunchId);
}

TEST(RocmDialectTest, processes_may_have_a_number_before_their_name_and_one_is_all_copies) {
  const auto loaded = read_trace_bytes(R"~({"traceEvents":[{}
,{"args":{"name":"2 CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":2}
,{"name":"hipLaunchKernel","ph":"X","ts":10.0,"dur":5.0,"pid":2,"tid":100,"args":{"BeginNs":"10000"}}
,{"ts":10.0,"ph":"s","cat":"DataFlow","id":5,"pid":2,"tid":100,"name":"dep"}
,{"args":{"name":"1 COPY"},"ph":"M","pid":1,"name":"process_name","sort_index":3}
,{"name":"hsa copy","ph":"X","ts":20.0,"dur":4.0,"pid":1,"tid":0,"args":{"BeginNs":"20000"}}
,{"args":{"name":"6 GPU0"},"ph":"M","pid":6,"name":"process_name","sort_index":4}
,{"name":"f(int) (.kd)","ph":"X","ts":30.5,"dur":2.5,"pid":6,"tid":0,"args":{"BeginNs":"30500"}}
,{"ts":30.5,"ph":"t","cat":"DataFlow","id":5,"pid":6,"tid":0,"name":"dep"}
]})~",
                                       "a.json");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Trace& trace = loaded->trace;
  EXPECT_EQ(trace.metadata().traits.dialect, "rocprof");
  EXPECT_EQ(strobe::testing::totals_by_name(trace, SliceKind::kKernel),
            (std::map<std::string, Total>{{"f(int)", {1, 2'500}}}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemcpy), (Total{1, 4'000}));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall), (Total{1, 5'000}));
}

TEST(RocmDialectTest, an_event_array_without_devices_is_none_of_it) {
  const auto loaded = read_trace_bytes(
      R"([{"name":"process_name","ph":"M","pid":1,"args":{"name":"GPUs"}},
          {"pid":1,"tid":1,"name":"a","ts":1,"dur":1,"ph":"X","args":{"desc":"x"}}])",
      "a.json");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.metadata().traits.dialect, "chrome");
}

}  // namespace
}  // namespace strobe::readers
