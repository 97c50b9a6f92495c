#include "strobe/device/vendor_names.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(CollectiveNamesTest, the_classic_rule_knows_two_libraries_in_any_case) {
  EXPECT_TRUE(is_classic_collective("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"));
  EXPECT_TRUE(is_classic_collective("void NCCL_Kernel()"));
  EXPECT_TRUE(is_classic_collective("xccl_allreduce"));
  EXPECT_FALSE(is_classic_collective("hcclAllReduce"));
  EXPECT_FALSE(is_classic_collective("ampere_sgemm_128x64_nn"));
  EXPECT_FALSE(is_classic_collective(""));
  EXPECT_FALSE(is_classic_collective("ncc"));
}

TEST(CollectiveNamesTest, every_vendors_library_is_known) {
  for (const char* const name :
       {"ncclKernel", "rcclKernel", "HcclAllReduce", "hcom_allReduce__442", "cnclKernelAllReduce",
        "ecclSend", "oneccl_allreduce", "mscclKernel_Sum", "mcclKernel", "bkcl_all_reduce",
        "XCCL_bcast", "void vllm::cross_device_reduce_1stage<float, 8>()"}) {
    EXPECT_TRUE(is_any_collective(name)) << name;
  }
  EXPECT_FALSE(is_any_collective("void cub::DeviceReduceKernel<int>()"));
}

TEST(CollectiveNamesTest, operators_are_told_by_three_words) {
  EXPECT_TRUE(is_collective_operator("c_AllReduce_sum dygraph"));
  EXPECT_TRUE(is_collective_operator("c_broadcast"));
  EXPECT_TRUE(is_collective_operator("RPC_send"));
  EXPECT_FALSE(is_collective_operator("all_gather"));
  EXPECT_FALSE(is_collective_operator("matmul dygraph"));
}

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

TEST(CopyDirectionTest, a_copy_is_named_after_its_ends) {
  EXPECT_EQ(copy_direction("Memcpy HtoD (Pinned -> Device)"), CopyDirection::kHostToDevice);
  EXPECT_EQ(copy_direction("MEMCPY_HtoD"), CopyDirection::kHostToDevice);
  EXPECT_EQ(copy_direction("Memcpy D2H"), CopyDirection::kDeviceToHost);
  EXPECT_EQ(copy_direction("CopyDeviceToHost"), CopyDirection::kDeviceToHost);
  EXPECT_EQ(copy_direction("Memcpy DtoD (Device -> Device)"), CopyDirection::kBetweenDevices);
  EXPECT_EQ(copy_direction("Memcpy PtoP (Device -> Device)"), CopyDirection::kBetweenDevices);
  EXPECT_EQ(copy_direction("Memcpy P2P"), CopyDirection::kBetweenDevices);
  EXPECT_EQ(copy_direction("memcpy"), CopyDirection::kUnknown);
}

}  // namespace
}  // namespace strobe::device
