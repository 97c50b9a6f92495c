#include "strobe/compare/measure/metric_scope.h"

#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

using device::MetricScope;

const FunctionKey kGemm{"gemm", FunctionKind::kKernel, "GPU 0"};
const FunctionKey kCollective{"all reduce", FunctionKind::kCollective, "GPU 0"};
const FunctionKey kUpload{"Memcpy HtoD (Pinned -> Device)", FunctionKind::kMemcpy, "GPU 0"};
const FunctionKey kMove{"Memcpy DtoD (Device -> Device)", FunctionKind::kMemcpy, "GPU 0"};
const FunctionKey kMemset{"Memset (Device)", FunctionKind::kMemset, "GPU 0"};
const FunctionKey kOnCpu{"oncpu", FunctionKind::kScheduling, "Host"};
const FunctionKey kRead{"read", FunctionKind::kInputOutput, "Host"};

TEST(MetricScopeTest, clocks_go_with_kernels_only) {
  EXPECT_TRUE(is_in_scope(MetricScope::kKernels, kGemm));
  EXPECT_TRUE(is_in_scope(MetricScope::kKernels, kCollective));
  EXPECT_FALSE(is_in_scope(MetricScope::kKernels, kUpload));
  EXPECT_FALSE(is_in_scope(MetricScope::kKernels, kMemset));
}

TEST(MetricScopeTest, copies_are_told_apart_by_their_ends) {
  EXPECT_TRUE(is_in_scope(MetricScope::kHostCopies, kUpload));
  EXPECT_TRUE(is_in_scope(MetricScope::kHostCopies, kMemset));
  EXPECT_FALSE(is_in_scope(MetricScope::kHostCopies, kMove));
  EXPECT_TRUE(is_in_scope(MetricScope::kDeviceCopies, kMove));
  EXPECT_TRUE(is_in_scope(MetricScope::kDeviceCopies, kCollective));
  EXPECT_FALSE(is_in_scope(MetricScope::kDeviceCopies, kUpload));
}

TEST(MetricScopeTest, disks_go_with_reads_and_cores_with_the_rest_of_the_host) {
  EXPECT_TRUE(is_in_scope(MetricScope::kHost, kOnCpu));
  EXPECT_FALSE(is_in_scope(MetricScope::kHost, kRead));
  EXPECT_TRUE(is_in_scope(MetricScope::kHostIo, kRead));
  EXPECT_FALSE(is_in_scope(MetricScope::kHostIo, kOnCpu));
}

}  // namespace
}  // namespace strobe::compare
