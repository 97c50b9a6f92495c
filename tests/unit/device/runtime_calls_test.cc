#include "strobe/device/runtime_calls.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(RuntimeCallsTest, a_call_is_told_by_the_word_its_vendors_share) {
  EXPECT_EQ(runtime_call("cudaLaunchKernel"), RuntimeCall::kLaunch);
  EXPECT_EQ(runtime_call("cuLaunchKernelEx"), RuntimeCall::kLaunch);
  EXPECT_EQ(runtime_call("cnInvokeKernel"), RuntimeCall::kLaunch);
  EXPECT_EQ(runtime_call("hipMemcpyAsync"), RuntimeCall::kCopy);
  EXPECT_EQ(runtime_call("cudaDeviceSynchronize"), RuntimeCall::kSynchronize);
  EXPECT_EQ(runtime_call("cnrtSyncDevice"), RuntimeCall::kSynchronize);
  EXPECT_EQ(runtime_call("cudaMallocAsync"), RuntimeCall::kAllocate);
  EXPECT_EQ(runtime_call("hipFree"), RuntimeCall::kFree);
  EXPECT_EQ(runtime_call("cuModuleLoadData"), RuntimeCall::kLoadCode);
  EXPECT_EQ(runtime_call("cudaStreamIsCapturing"), RuntimeCall::kOther);
}

TEST(RuntimeCallsTest, a_blocking_copy_is_a_copy) {
  EXPECT_EQ(runtime_call("cudaMemcpy"), RuntimeCall::kCopy);
}

}  // namespace
}  // namespace strobe::device
