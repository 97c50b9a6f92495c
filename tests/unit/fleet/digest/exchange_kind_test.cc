#include "strobe/fleet/digest/exchange_kind.h"

#include <gtest/gtest.h>

namespace strobe::fleet {
namespace {

TEST(ExchangeKindTest, names_of_kernels_operators_and_ranges_tell_the_kind) {
  using enum ExchangeKind;
  EXPECT_EQ(exchange_kind("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, ncclWork*)"),
            kAllReduce);
  EXPECT_EQ(exchange_kind("nccl:_all_gather_base"), kAllGather);
  EXPECT_EQ(exchange_kind("c10d::_reduce_scatter_base_"), kReduceScatter);
  EXPECT_EQ(exchange_kind("gloo:all_reduce"), kAllReduce);
  EXPECT_EQ(exchange_kind("hcom_allReduce__123_0_1"), kAllReduce);
  EXPECT_EQ(exchange_kind("all_to_allv"), kAllToAll);
  EXPECT_EQ(exchange_kind("ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*)"), kReduce);
  EXPECT_EQ(exchange_kind("ncclDevKernel_SendRecv(ncclDevComm*)"), kSendReceive);
  EXPECT_EQ(exchange_kind("nccl:recv 3<-0"), kReceive);
  EXPECT_EQ(exchange_kind("nccl:send 0->3"), kSend);
  EXPECT_EQ(exchange_kind("void vllm::cross_device_reduce_1stage<__half, 2>(int)"), kAllReduce);
  EXPECT_EQ(exchange_kind("gemm"), kOther);
}

TEST(ExchangeKindTest, the_bus_carries_what_the_public_benchmarks_count) {
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kAllReduce, 8), 2 * 7.0 / 8);
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kAllGather, 8), 7.0 / 8);
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kReduceScatter, 4), 3.0 / 4);
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kAllToAll, 4), 3.0 / 4);
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kBroadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(ExchangeKind::kAllReduce, 1), 1);
}

TEST(ExchangeKindTest, element_types_have_a_size_in_every_spelling) {
  EXPECT_EQ(element_bytes("c10::Half"), 2u);
  EXPECT_EQ(element_bytes("BFloat16"), 2u);
  EXPECT_EQ(element_bytes("float"), 4u);
  EXPECT_EQ(element_bytes("long int"), 8u);
  EXPECT_EQ(element_bytes("unsigned char"), 1u);
  EXPECT_EQ(element_bytes("Float8_e4m3fn"), 1u);
  EXPECT_EQ(element_bytes("TensorList"), 0u);
}

}  // namespace
}  // namespace strobe::fleet
