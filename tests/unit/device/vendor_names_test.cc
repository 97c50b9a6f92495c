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
        "ecclSend", "oneccl_allreduce", "oneCCL_bcast", "ccl::v1::copy_kernel<int>()",
        "mscclKernel_Sum", "mcclKernel", "bkcl_all_reduce", "XCCL_bcast", "nvshmemi_barrier_kernel",
        "void rocshmem::put_kernel(int)", "userbuffers_fp16_sum_inplace_gpu_rw",
        "kuserbuffers_pushsend"}) {
    EXPECT_TRUE(is_any_collective(name)) << name;
  }
}

TEST(CollectiveNamesTest, hand_written_collectives_are_known) {
  for (const char* const name :
       {"void vllm::cross_device_reduce_1stage<float, 8>()",
        "void sglang::cross_device_reduce_2stage<__nv_bfloat16, 8>(sglang::RankData*)",
        "_ZN4vllm26cross_device_reduce_1stageIfLi8EEEvv",
        "void aiter::reduce_scatter_cross_device_store<float, 8>()",
        "void c10d::(anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>()",
        "two_shot_all_reduce_kernel_inplace<float>",
        "one_shot_all_reduce",
        "void c10d::symmetric_memory::barrier_kernel(unsigned int**)",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<half, 8>()",
        "twoShotAllReduceKernel",
        "allReduceKernel",
        "hybridCubeMeshAllReduceKernel",
        "ar_fusion::allreduce_fusion_kernel_oneshot_lamport<int>()",
        "lamport_style_one_shot_all_reduce_norm_kernel",
        "moe_allreduce_kernel",
        "quickreduce::allreduce_prototype_twoshot<int>()",
        "moeA2ADispatchKernel",
        "tensorrt_llm::kernels::moeAlltoAllKernel",
        "MoeDistributeCombine",
        "all-reduce.12"}) {
    EXPECT_TRUE(is_any_collective(name)) << name;
  }
}

TEST(CollectiveNamesTest, experts_exchange_tokens_but_count_them_at_home) {
  for (const char* const name : {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)",
                                 "void deep_ep::internode_ll::combine<true, 7168>(void*)",
                                 "deep_ep::intranode::notify_dispatch<8>(int const*)",
                                 "deep_ep::internode::cached_notify_combine(int)"}) {
    EXPECT_TRUE(is_any_collective(name)) << name;
  }
  for (const char* const name : {"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long*)",
                                 "void deep_ep::cast_kernel<8>(int*)", "dispatch_kernel",
                                 "flash_fwd_splitkv_combine_kernel"}) {
    EXPECT_FALSE(is_any_collective(name)) << name;
  }
}

TEST(CollectiveNamesTest, kernels_of_one_device_are_not_taken_for_collectives) {
  for (const char* const name :
       {"void cub::DeviceReduceKernel<int>()", "warpctc_kernel", "broadcast_kernel",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >()",
        "void at::native::elementwise_kernel<128, nccl_like>()",
        "triton_poi_fused_all_reduce_add_1", "void BlockAllReduceKernel<float>()",
        "void softmax::WarpAllReduce<int>()", "void splitKreduce_kernel<float>()",
        "gemm_all_reduce_kernel", "Memcpy PtoP", ""}) {
    EXPECT_FALSE(is_any_collective(name)) << name;
  }
}

TEST(CollectiveNamesTest, the_classic_rule_tells_operators_by_three_words) {
  EXPECT_TRUE(is_collective_operator("c_AllReduce_sum dygraph"));
  EXPECT_TRUE(is_collective_operator("c_broadcast"));
  EXPECT_TRUE(is_collective_operator("RPC_send"));
  EXPECT_TRUE(is_collective_operator("warpctc dygraph"));
  EXPECT_FALSE(is_collective_operator("all_gather"));
  EXPECT_FALSE(is_collective_operator("matmul dygraph"));
}

TEST(CollectiveNamesTest, an_operator_communicates_if_it_moves_data_between_processes) {
  for (const char* const name :
       {"c10d::allreduce_", "_c10d_functional::all_gather_into_tensor", "record_param_comms",
        "c_allreduce_sum dygraph", "mp_allreduce_sum", "c_broadcast", "broadcast dygraph",
        "alltoall dygraph", "send_v2 dygraph", "vllm::all_reduce", "rpc_sync#f", "RPC_send",
        "symm_mem::one_shot_all_reduce", "_AllReduceBackward"}) {
    EXPECT_TRUE(is_collective_call(name)) << name;
  }
  for (const char* const name :
       {"warpctc dygraph", "aten::broadcast_to", "broadcast_tensors dygraph", "my_rpc_helper",
        "elementwise_broadcast", "fsdp::all_gather_copy_in", "matmul dygraph",
        "torch::distributed::reducer::mul_out", ""}) {
    EXPECT_FALSE(is_collective_call(name)) << name;
  }
}

TEST(LibraryRangesTest, the_library_stands_before_the_colon) {
  for (const char* name : {"gloo:all_reduce", "mpi:broadcast", "ucc:barrier"}) {
    EXPECT_TRUE(is_host_exchange(name)) << name;
    EXPECT_TRUE(is_library_range(name)) << name;
  }
  for (const char* name : {"nccl:all_reduce", "rccl:send", "hccl:all_gather", "cncl:broadcast"}) {
    EXPECT_FALSE(is_host_exchange(name)) << name;
    EXPECT_TRUE(is_library_range(name)) << name;
  }
  for (const char* name : {"gloo", "all_reduce", "my nccl:all_reduce", ""}) {
    EXPECT_FALSE(is_library_range(name)) << name;
  }
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

TEST(VendorNamesTest, what_a_call_becomes_on_the_device) {
  EXPECT_EQ(launched_kind("cudaLaunchKernelExC"), LaunchedKind::kKernel);
  EXPECT_EQ(launched_kind("hipGraphLaunch"), LaunchedKind::kGraph);
  EXPECT_EQ(launched_kind("cudaMemcpyAsync"), LaunchedKind::kCopy);
  EXPECT_EQ(launched_kind("cuMemsetD32Async"), LaunchedKind::kMemset);
  EXPECT_EQ(launched_kind("cudaLaunchHostFunc"), LaunchedKind::kNothing);
  EXPECT_EQ(launched_kind("cudaMalloc"), LaunchedKind::kNothing);
  EXPECT_TRUE(begins_capture("cudaStreamBeginCapture"));
  EXPECT_TRUE(ends_capture("hipStreamEndCapture"));
  EXPECT_FALSE(begins_capture("cudaStreamGetCaptureInfo_v2"));
  EXPECT_TRUE(makes_graph("cudaGraphInstantiateWithFlags"));
}

}  // namespace
}  // namespace strobe::device
