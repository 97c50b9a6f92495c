#include "strobe/compare/measure/function_kind.h"

#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

constexpr auto kHost = TrackKind::kHostThread;
constexpr auto kStream = TrackKind::kDeviceStream;

TEST(FunctionKindTest, a_kernel_that_communicates_is_a_collective) {
  EXPECT_EQ(function_kind(SliceKind::kKernel, kNoFlags, "kernel", kStream), FunctionKind::kKernel);
  EXPECT_EQ(function_kind(SliceKind::kKernel, kCommunicates, "kernel", kStream),
            FunctionKind::kCollective);
  EXPECT_EQ(function_kind(SliceKind::kOperator, kCommunicates, "cpu_op", kHost),
            FunctionKind::kHostOperator);
}

TEST(FunctionKindTest, the_operating_systems_categories_are_kinds_of_their_own) {
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "os_sched", kHost),
            FunctionKind::kScheduling);
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "os_io", kHost), FunctionKind::kInputOutput);
  EXPECT_EQ(function_kind(SliceKind::kOther, kNoFlags, "anything", kHost),
            FunctionKind::kHostOperator);
}

TEST(FunctionKindTest, drawings_frames_and_steps_are_no_functions) {
  for (const SliceKind kind : {SliceKind::kStep, SliceKind::kPythonCall, SliceKind::kSync,
                               SliceKind::kProfiler, SliceKind::kDeviceAnnotation}) {
    EXPECT_FALSE(function_kind(kind, kNoFlags, "", kHost)) << word_of(kind);
  }
  EXPECT_FALSE(function_kind(SliceKind::kOther, kNoFlags, "", kStream));
}

TEST(FunctionKindTest, kinds_up_to_memset_are_on_the_device) {
  EXPECT_TRUE(is_on_device(FunctionKind::kMemset));
  EXPECT_FALSE(is_on_device(FunctionKind::kHostOperator));
  EXPECT_EQ(word_of(FunctionKind::kRuntimeCall), "runtime_call");
}

}  // namespace
}  // namespace strobe::compare
