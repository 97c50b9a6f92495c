#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "strobe/readers/dialect.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;

Trace load_autograd(const std::string& text) {
  auto loaded = read_trace_bytes(text, "trace.json", {.threads = 1});
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().what);
  EXPECT_FALSE(loaded->report.lost_something());
  return std::move(loaded->trace);
}

// As export_chrome_trace() of the old profiler writes it, for two devices.
const std::string kConvolution =
    R"([{"name": "aten::conv2d", "ph": "X", "ts": 100.5, "dur": 90.0, "tid": 1, "pid": "CPU functions", "args": {}},
{"name": "aten::conv2d", "ph": "s", "ts": 100.5, "tid": 1, "pid": "CPU functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::conv2d", "ph": "f", "ts": 120.0, "tid": 0, "pid": "CUDA functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::conv2d", "ph": "X", "ts": 120.0, "dur": 60.0, "tid": 0, "pid": "CUDA functions", "args": {}},
{"name": "aten::cudnn_convolution", "ph": "X", "ts": 110.0, "dur": 70.0, "tid": 1, "pid": "CPU functions", "args": {}},
{"name": "aten::cudnn_convolution", "ph": "s", "ts": 110.0, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::cudnn_convolution", "ph": "f", "ts": 130.0, "tid": 0, "pid": "CUDA functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::cudnn_convolution", "ph": "X", "ts": 130.0, "dur": 40.0, "tid": 0, "pid": "CUDA functions", "args": {}},
{"name": "aten::relu", "ph": "X", "ts": 200.0, "dur": 20.0, "tid": 1, "pid": "CPU functions", "args": {}},
{"name": "aten::relu", "ph": "s", "ts": 200.0, "tid": 1, "pid": "CPU functions", "id": 2, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::relu", "ph": "f", "ts": 215.0, "tid": 1, "pid": "CUDA functions", "id": 2, "cat": "cpu_to_cuda", "args": {}},
{"name": "aten::relu", "ph": "X", "ts": 215.0, "dur": 10.0, "tid": 1, "pid": "CUDA functions", "args": {}}])";

TEST(AutogradDialectTest, what_ran_on_a_device_is_device_work) {
  const Trace trace = load_autograd(kConvolution);
  EXPECT_EQ(trace.traits().dialect, "autograd");
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kOperator, SliceKind::kDeviceAnnotation, SliceKind::kOperator,
                          SliceKind::kKernel, SliceKind::kOperator, SliceKind::kKernel));
  EXPECT_EQ(trace.track(SliceId(3)).kind, TrackKind::kDeviceStream);
  EXPECT_EQ(trace.track(SliceId(3)).device, 0);
  EXPECT_EQ(trace.track(SliceId(5)).device, 1);
  EXPECT_EQ(trace.track(SliceId(4)).kind, TrackKind::kHostThread);
}

TEST(AutogradDialectTest, arrows_lead_from_the_operator_to_its_device_work) {
  const Trace trace = load_autograd(kConvolution);
  ASSERT_EQ(trace.flows().size(), 6u);
  EXPECT_EQ(trace.flows().tracks[2], trace.slices().tracks[2]);
  EXPECT_EQ(trace.flows().tracks[3], trace.slices().tracks[3]);
  EXPECT_EQ(trace.flows().tracks[5], trace.slices().tracks[5]);
}

TEST(AutogradDialectTest, equal_slices_are_one_work_and_neighbours_are_two) {
  const Trace trace = load_autograd(
      R"([{"name": "a", "ph": "X", "ts": 0, "dur": 9, "tid": 1, "pid": "CPU functions"},
          {"name": "outer", "ph": "X", "ts": 10, "dur": 5, "tid": 0, "pid": "CUDA functions"},
          {"name": "inner", "ph": "X", "ts": 10, "dur": 5, "tid": 0, "pid": "CUDA functions"},
          {"name": "next", "ph": "X", "ts": 15, "dur": 5, "tid": 0, "pid": "CUDA functions"}])");
  EXPECT_THAT(trace.slices().kinds, ElementsAre(SliceKind::kOperator, SliceKind::kDeviceAnnotation,
                                                SliceKind::kKernel, SliceKind::kKernel));
}

TEST(AutogradDialectTest, names_have_the_meaning_they_have_today) {
  const Trace trace = load_autograd(
      R"([{"name": "AddmmBackward", "ph": "X", "ts": 1, "dur": 9, "tid": 2, "pid": "CPU functions"},
          {"name": "forward", "ph": "X", "ts": 1, "dur": 9, "tid": 1, "pid": "CPU functions"}])");
  EXPECT_THAT(trace.slices().kinds, ElementsAre(SliceKind::kOperator, SliceKind::kForward));
  EXPECT_EQ(trace.slices().flags[0], kBackwardWork);
}

TEST(AutogradDialectTest, other_writers_are_not_taken_for_it) {
  const Trace trace = load_autograd(
      R"([{"name": "a", "ph": "X", "ts": 1, "dur": 9, "tid": 2, "pid": "my functions"}])");
  EXPECT_EQ(trace.traits().dialect, "chrome");
}

}  // namespace
}  // namespace strobe::readers
