#include "strobe/compare/compat/compat_measure.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/compare/compat/compat_sketch.h"

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

using namespace strobe::literals;

TEST(CompatMeasureTest, a_call_belongs_whole_to_the_cycle_in_which_it_begins) {
  // 30 us begin 10 us before the border; the next call begins on the border itself.
  Sketch sketch;
  sketch.stream(7, 1)
      .slice("gemm", SliceKind::kKernel, 90_us, 30_us)
      .slice("gemm", SliceKind::kKernel, 100_us, 5_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 7", "gpu_usage", {{50_us, 6}, {150_us, 8}})}),
      cycles_of_100_us(2));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_EQ(triplets[0].function, "gemm");
  EXPECT_EQ(triplets[0].metric, "gpu_usage");
  EXPECT_EQ(triplets[0].device, "GPU 7");
  EXPECT_THAT(triplets[0].betas, ElementsAre(30, 5));
  EXPECT_THAT(triplets[0].mus, ElementsAre(6, 8));
}

TEST(CompatMeasureTest, calls_of_several_streams_are_added) {
  Sketch sketch;
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 0, 80_us);
  sketch.stream(0, 2).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{50_us, 6}})}), cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].betas, ElementsAre(160));
}

TEST(CompatMeasureTest, a_cycle_without_sample_or_without_call_does_not_exist) {
  Sketch sketch;  // runs in cycles 0, 1 and 3; sampled in 0, 2 and 3
  sketch.stream(0, 1)
      .slice("gemm", SliceKind::kKernel, 10_us, 10_us)
      .slice("gemm", SliceKind::kKernel, 110_us, 20_us)
      .slice("gemm", SliceKind::kKernel, 310_us, 40_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{50_us, 1}, {250_us, 3}, {399_us, 4}}),
                          series_of("GPU 0", "gpu_sm_util", {{250_us, 3}})}),
      cycles_of_100_us(4));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].betas, ElementsAre(10, 40));
  EXPECT_THAT(triplets[0].mus, ElementsAre(1, 4));
}

TEST(CompatMeasureTest, a_sample_on_the_border_belongs_to_the_later_cycle) {
  Sketch sketch;
  sketch.stream(0, 1)
      .slice("gemm", SliceKind::kKernel, 10_us, 10_us)
      .slice("gemm", SliceKind::kKernel, 110_us, 20_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{100_us, 1}})}), cycles_of_100_us(2));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].betas, ElementsAre(20));
}

TEST(CompatMeasureTest, between_two_samples_the_metric_is_straight_and_held_beyond_them) {
  // Samples 0 at 20 us and 10 at 60 us. The call from 30 to 50 us sees (2.5 + 7.5) / 2 = 5 for
  // 20 us, the one from 70 to 80 us sees 10 for 10 us: (100 + 100) / 30.
  Sketch sketch;
  sketch.stream(0, 1)
      .slice("gemm", SliceKind::kKernel, 30_us, 20_us)
      .slice("gemm", SliceKind::kKernel, 70_us, 10_us)
      .slice("early", SliceKind::kKernel, 0, 10_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{20_us, 0}, {60_us, 10}})}),
      cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(2));
  EXPECT_THAT(triplets[0].mus, ElementsAre(0));       // early
  EXPECT_THAT(triplets[1].mus, ElementsAre(6.6667));  // gemm
}

TEST(CompatMeasureTest, three_samples_inside_a_call_speak_for_themselves) {
  // Their mean is 12; the ends would give (3 + 0) / 2.
  Sketch sketch;
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage",
                                    {{5_us, 3}, {20_us, 3}, {50_us, 33}, {80_us, 0}, {95_us, 0}})}),
      cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].mus, ElementsAre(12));
}

TEST(CompatMeasureTest, a_metric_of_another_device_is_not_the_functions) {
  Sketch sketch;
  sketch.stream(1, 1).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  EXPECT_THAT(measure_compat(capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{50_us, 3}})}),
                             cycles_of_100_us(1)),
              IsEmpty());
}

TEST(CompatMeasureTest, functions_of_the_host_are_those_of_the_operating_system) {
  Sketch sketch;
  sketch.thread(42, 42)
      .slice("oncpu", SliceKind::kOther, 0, 60_us)
      .category("os_sched")
      .slice("read", SliceKind::kOperator, 0, 60_us)
      .category("cpu_op");
  const auto triplets =
      measure_compat(capture_of(sketch, {series_of("Host", "disk_usage", {{5_us, 3}}),
                                         series_of("Host", "cpu_frequency", {{5_us, 87.5}})}),
                     cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_EQ(triplets[0].function, "oncpu");
  EXPECT_EQ(triplets[0].device, "Host");
  EXPECT_THAT(triplets[0].mus, ElementsAre(87.5));
}

TEST(CompatMeasureTest, clocks_are_printed_a_hundredfold) {
  Sketch sketch;
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  const auto triplets =
      measure_compat(capture_of(sketch, {series_of("GPU 0", "gpu_sm_frequency", {{50_us, 1155}})}),
                     cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].mus, ElementsAre(115'500));
}

TEST(CompatMeasureTest, samples_on_the_wall_clock_are_brought_to_the_trace) {
  Sketch sketch;
  sketch.metadata().base_time_ns = 1'700'000'000'000'000'000;
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{1'700'000'000'000'000'000 + 20_us, 7}}),
                          series_of("GPU 0", "gpu_sm_util", {{-500_us, 7}})}),
      cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_EQ(triplets[0].metric, "gpu_usage");
}

TEST(CompatMeasureTest, calls_without_duration_weigh_alike) {
  Sketch sketch;  // 0 at 20 us, 10 at 60 us: 2.5 at 30 us and 5 at 40 us
  sketch.stream(0, 1)
      .slice("gemm", SliceKind::kKernel, 30_us, 0)
      .slice("gemm", SliceKind::kKernel, 40_us, 0);
  const auto triplets = measure_compat(
      capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{20_us, 0}, {60_us, 10}})}),
      cycles_of_100_us(1));
  ASSERT_THAT(triplets, SizeIs(1));
  EXPECT_THAT(triplets[0].betas, ElementsAre(0));
  EXPECT_THAT(triplets[0].mus, ElementsAre(3.75));
}

TEST(CompatMeasureTest, nothing_is_measured_without_cycles) {
  Sketch sketch;
  sketch.stream(0, 1).slice("gemm", SliceKind::kKernel, 10_us, 80_us);
  EXPECT_THAT(measure_compat(capture_of(sketch, {series_of("GPU 0", "gpu_usage", {{50_us, 3}})}),
                             cycles_of_100_us(0)),
              IsEmpty());
}

TEST(CompatMeasureTest, values_are_stored_with_four_decimals) {
  EXPECT_EQ(stored(2.70841428), 2.7084);
  EXPECT_EQ(stored(0.07335), 0.0734);
  EXPECT_EQ(stored(0.05005), 0.05);
  EXPECT_EQ(stored(-1.00006), -1.0001);
  EXPECT_EQ(stored(118'687.5), 118'687.5);
}

}  // namespace

}  // namespace strobe::compare
