#include "strobe/record/inject/activity/call_names.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

TEST(CallNamesTest, VersionsAndVariantsAreLeftOut) {
  EXPECT_EQ(plain_call_name("cudaMemcpyAsync_v3020"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_call_name("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(plain_call_name("cuLaunchKernel_ptsz"), "cuLaunchKernel");
  EXPECT_EQ(plain_call_name("cuLaunchKernelEx"), "cuLaunchKernelEx");
  EXPECT_EQ(plain_call_name("cu_view"), "cu_view");
}

bool is_default(CallSide side, const char* name) {
  return is_recorded_call(CallSet::kLaunches, side, name);
}

TEST(CallNamesTest, ALaunchIsRecordedOnceOnTheDriversSide) {
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuLaunchKernel"));
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuLaunchKernelEx_ptsz"));
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuGraphLaunch"));
  EXPECT_FALSE(is_default(CallSide::kRuntime, "cudaLaunchKernel_v7000"));
  EXPECT_FALSE(is_default(CallSide::kRuntime, "cudaGraphLaunch_v10000"));
}

TEST(CallNamesTest, CopiesWaitsAndAllocationsOfBothSides) {
  EXPECT_TRUE(is_default(CallSide::kRuntime, "cudaMemcpyAsync_v3020"));
  EXPECT_TRUE(is_default(CallSide::kRuntime, "cudaStreamSynchronize_v3020"));
  EXPECT_TRUE(is_default(CallSide::kRuntime, "cudaDeviceSynchronize_v3020"));
  EXPECT_TRUE(is_default(CallSide::kRuntime, "cudaMalloc_v3020"));
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuMemcpyHtoDAsync_v2"));
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuEventSynchronize"));
  EXPECT_TRUE(is_default(CallSide::kDriver, "cuMemFree_v2"));
}

TEST(CallNamesTest, QuestionsAreNot) {
  EXPECT_FALSE(is_default(CallSide::kRuntime, "cudaGetDevice_v3020"));
  EXPECT_FALSE(is_default(CallSide::kRuntime, "cudaEventQuery_v3020"));
  EXPECT_FALSE(is_default(CallSide::kDriver, "cuCtxGetCurrent"));
  EXPECT_FALSE(is_default(CallSide::kDriver, "cuLaunchHostFunc"));
}

TEST(CallNamesTest, AllMeansAllAndNoneMeansNone) {
  EXPECT_TRUE(is_recorded_call(CallSet::kAll, CallSide::kRuntime, "cudaGetDevice_v3020"));
  EXPECT_TRUE(is_recorded_call(CallSet::kAll, CallSide::kRuntime, "cudaLaunchKernel_v7000"));
  EXPECT_FALSE(is_recorded_call(CallSet::kNone, CallSide::kDriver, "cuLaunchKernel"));
}

}  // namespace
}  // namespace strobe::record
