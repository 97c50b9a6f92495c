#include "strobe/compare/compat/compat_metrics.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> names_for(FunctionKind kind, const std::string& name) {
  std::vector<std::string> names;
  const FunctionKey key = {name, kind, ""};
  for (const CompatMetric& metric : compat_metrics(key)) {
    names.emplace_back(metric.name);
  }
  return names;
}

TEST(CompatMetricsTest, every_kernel_has_the_same_ten) {
  EXPECT_THAT(names_for(FunctionKind::kKernel, "gemm"), SizeIs(10));
  EXPECT_EQ(names_for(FunctionKind::kCollective, "all_reduce"),
            names_for(FunctionKind::kKernel, "gemm"));
}

TEST(CompatMetricsTest, copies_have_the_metrics_of_the_road_they_take) {
  const auto host = ElementsAre("gpu_pcie_receive", "gpu_pcie_transmit");
  EXPECT_THAT(names_for(FunctionKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)"), host);
  EXPECT_THAT(names_for(FunctionKind::kMemcpy, "Memcpy DtoH (Device -> Pageable)"), host);
  EXPECT_THAT(names_for(FunctionKind::kMemset, "Memset (Device)"), host);
  EXPECT_THAT(names_for(FunctionKind::kMemcpy, "Memcpy DtoD (Device -> Device)"),
              ElementsAre("gpu_link_receive", "gpu_link_transmit"));
  EXPECT_THAT(names_for(FunctionKind::kMemcpy, "Memcpy HtoH"), IsEmpty());
}

TEST(CompatMetricsTest, the_host_has_four_functions_and_no_more) {
  EXPECT_THAT(names_for(FunctionKind::kScheduling, "oncpu"),
              ElementsAre("process_cpu_usage", "host_cpu_usage", "cpu_frequency"));
  EXPECT_THAT(names_for(FunctionKind::kScheduling, "runq"),
              ElementsAre("process_cpu_usage", "host_cpu_usage"));
  EXPECT_THAT(names_for(FunctionKind::kInputOutput, "read"), ElementsAre("disk_usage"));
  EXPECT_THAT(names_for(FunctionKind::kInputOutput, "write"), ElementsAre("disk_usage"));
  EXPECT_THAT(names_for(FunctionKind::kHostOperator, "read"), IsEmpty());
  EXPECT_THAT(names_for(FunctionKind::kRuntimeCall, "launch"), IsEmpty());
}

TEST(CompatMetricsTest, clocks_of_the_device_and_byte_rates_are_printed_a_hundredfold) {
  for (const auto& [kind, name] :
       {std::pair(FunctionKind::kKernel, "gemm"), std::pair(FunctionKind::kMemset, "Memset"),
        std::pair(FunctionKind::kMemcpy, "Memcpy DtoD"),
        std::pair(FunctionKind::kScheduling, "oncpu")}) {
    const FunctionKey key = {name, kind, ""};
    for (const CompatMetric& metric : compat_metrics(key)) {
      const bool is_rate = metric.name.ends_with("receive") || metric.name.ends_with("transmit");
      const bool is_clock = metric.name.starts_with("gpu_") && metric.name.ends_with("frequency");
      EXPECT_EQ(metric.scale, is_rate || is_clock ? 100 : 1) << metric.name;
    }
  }
}

}  // namespace
}  // namespace strobe::compare
