#include "strobe/readers/counter_series.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace strobe::literals;

TEST(CounterSeriesTest, a_counter_belongs_to_the_device_of_its_process_or_to_the_host) {
  const Trace trace = Sketch()
                          .stream(7, 7)
                          .slice("gemm", SliceKind::kKernel, 0, 5_us)
                          .thread(0, 7)  // the same process, another thread
                          .counter("gpu_sm_frequency", "value", 20_us, 210)
                          .counter("gpu_sm_frequency", "value", 10_us, 1155)
                          .thread(1, 944615)
                          .counter("host_cpu_usage", "value", 5_us, 8)
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].device, "GPU 7");
  EXPECT_EQ(series[0].metric, "gpu_sm_frequency");
  EXPECT_THAT(series[0].times_ns, ElementsAre(10_us, 20_us));
  EXPECT_THAT(series[0].values, ElementsAre(1155, 210));
  EXPECT_EQ(series[1].device, "Host");
  EXPECT_EQ(series[1].metric, "host_cpu_usage");
}

TEST(CounterSeriesTest, several_values_of_one_counter_are_series_of_their_own) {
  const Trace trace = Sketch()
                          .thread(1)
                          .counter("clocks", "sm", 1_us, 1155)
                          .counter("clocks", "mem", 1_us, 1593)
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].metric, "clocks mem");
  EXPECT_EQ(series[1].metric, "clocks sm");
}

TEST(CounterSeriesTest, of_two_values_for_one_time_the_last_counts_and_infinity_is_none) {
  const Trace trace = Sketch()
                          .thread(1)
                          .counter("m", "value", 1_us, 1)
                          .counter("m", "value", 1_us, 2)
                          .counter("m", "value", 2_us, std::numeric_limits<double>::infinity())
                          .trace();
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_THAT(series[0].times_ns, ElementsAre(1_us));
  EXPECT_THAT(series[0].values, ElementsAre(2));
}

TEST(CounterSeriesTest, a_trace_without_counters_has_no_series) {
  EXPECT_THAT(counter_series(Sketch().thread(1).slice("a", SliceKind::kOperator, 0, 1).trace()),
              IsEmpty());
}

}  // namespace
}  // namespace strobe::readers
