#include "strobe/fleet/digest/pipeline_operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::fleet {
namespace {

using literals::operator""_us;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PipelineOperationTest, every_type_has_a_name) {
  for (int i = 0; i < static_cast<int>(OpType::kCount_); ++i) {
    const auto type = static_cast<OpType>(i);
    EXPECT_EQ(op_type(name_of(type)), type);
    EXPECT_EQ(named_operation(name_of(type)), NamedOperation{.type = type});
  }
  EXPECT_EQ(op_type("forward"), std::nullopt);
}

TEST(PipelineOperationTest, timers_name_an_operation_as_tables_do) {
  const NamedOperation forward = {.type = OpType::kForwardCompute};
  EXPECT_EQ(named_operation("forward-compute"), forward);
  EXPECT_EQ(named_operation("forward_compute"), forward);
  EXPECT_EQ(named_operation("Forward-Compute 3"), forward);
  EXPECT_EQ(named_operation("forward-compute [mb=3, chunk=1]"),
            (NamedOperation{.type = OpType::kForwardCompute, .chunk = 1}));
  EXPECT_EQ(named_operation("optimizer-clip-main-grad"), NamedOperation{.type = OpType::kClip});
  EXPECT_EQ(named_operation("optimizer"), NamedOperation{.type = OpType::kOptimizer});
}

TEST(PipelineOperationTest, schedules_name_stage_action_and_micro_batch) {
  const auto action = [](OpType type, std::int32_t stage) {
    return NamedOperation{.type = type, .global_chunk = stage};
  };
  EXPECT_EQ(named_operation("PP:2F0"), action(OpType::kForwardCompute, 2));
  EXPECT_EQ(named_operation("PP:10B15"), action(OpType::kBackwardCompute, 10));
  EXPECT_EQ(named_operation("PP:1RECV_F7"), action(OpType::kForwardRecv, 1));
  EXPECT_EQ(named_operation("PP:1SEND_B7"), action(OpType::kBackwardSend, 1));
  EXPECT_EQ(named_operation("PP:0REDUCE_GRAD"), action(OpType::kReduceScatter, 0));
  EXPECT_EQ(named_operation("Optimizer.step#AdamW.step"),
            NamedOperation{.type = OpType::kOptimizer});
}

TEST(PipelineOperationTest, other_names_say_nothing) {
  for (const char* name :
       {"", "PP:", "PP:F0", "PP:2", "PP:2X0", "PP:99999999F0", "PP:(0F1;1B0)OVERLAP_F_B", "forward",
        "forward-computer", "optimizer.step", "optimizer-x", "gcc", "aten::add"}) {
    EXPECT_EQ(named_operation(name), std::nullopt) << name;
  }
}

TEST(PipelineOperationTest, an_operation_takes_as_long_as_the_device_work_of_its_range) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("forward-compute", SliceKind::kAnnotation, 0_us, 10_us)
                          .slice("launch", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("launch", kCall, 8_us, 1_us)
                          .correlation(2)
                          .slice("forward-send", SliceKind::kAnnotation, 10_us, 5_us)
                          .slice("launch", kCall, 11_us, 1_us)
                          .correlation(3)
                          .thread(2)  // autograd, or another timer
                          .slice("launch", kCall, 5_us, 1_us)
                          .correlation(4)
                          .slice("launch", kCall, 6_us, 1_us)
                          .correlation(5)
                          .slice("launch", kCall, 12_us, 1_us)
                          .correlation(6)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 20_us, 5_us)
                          .correlation(1)
                          .slice("gemm", kKernel, 30_us, 5_us)
                          .correlation(2)
                          .slice("gemm", kKernel, 36_us, 4_us)
                          .correlation(4)
                          .stream(0, 20)
                          .slice("send", kKernel, 41_us, 9_us)
                          .correlation(3)
                          .flags(kCommunicates)
                          .slice("reduce", kKernel, 60_us, 9_us)
                          .correlation(5)
                          .flags(kCommunicates)
                          .slice("receive", kKernel, 70_us, 9_us)
                          .correlation(6)
                          .flags(kCommunicates)
                          .trace();
  const auto operations = pipeline_operations(trace);
  ASSERT_THAT(operations, SizeIs(2));
  EXPECT_EQ(operations[0].what.type, OpType::kForwardCompute);
  EXPECT_EQ(operations[0].called_ns, 0);
  EXPECT_EQ(operations[0].interval, (Interval{20_us, 40_us}));  // with the other thread's kernel
  EXPECT_EQ(operations[1].what.type, OpType::kForwardSend);
  EXPECT_EQ(operations[1].interval, (Interval{41_us, 50_us}));  // without the other thread's
}

TEST(PipelineOperationTest, without_device_work_it_is_the_range) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("optimizer", SliceKind::kAnnotation, 5_us, 10_us)
                          .slice("optimizer", SliceKind::kAnnotation, 6_us, 2_us)  // a part of it
                          .trace();
  const auto operations = pipeline_operations(trace);
  ASSERT_THAT(operations, SizeIs(1));
  EXPECT_EQ(operations[0].interval, (Interval{5_us, 15_us}));
}

TEST(PipelineOperationTest, kernels_and_calls_of_that_name_are_no_ranges) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("gc", kCall, 5_us, 10_us)
                          .stream(0, 7)
                          .slice("gc", kKernel, 5_us, 10_us)
                          .trace();
  EXPECT_THAT(pipeline_operations(trace), IsEmpty());
}

}  // namespace
}  // namespace strobe::fleet
