#include "strobe/compare/causes/cause_text.h"

#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

TEST(CauseText, numbers_have_as_many_digits_as_matter) {
  EXPECT_EQ(number_text(0), "0.00");
  EXPECT_EQ(number_text(0.01234), "0.0123");
  EXPECT_EQ(number_text(1.234), "1.23");
  EXPECT_EQ(number_text(12.34), "12.3");
  EXPECT_EQ(number_text(1980.4), "1980");
  EXPECT_EQ(number_text(61e6), "61 M");
  EXPECT_EQ(number_text(1.128e9), "1.13 G");
  EXPECT_EQ(number_text(-12.34), "-12.3");
}

TEST(CauseText, a_metric_is_told_with_both_values_its_unit_and_the_factor) {
  const auto sketch = CauseSketch(10, 10).metric("GPU 0", "gpu_sm_frequency", 1980, 990);
  const MetricRow& row = sketch.comparison().metrics.front();
  const Evidence evidence = told("core clock", row, row.busy);
  EXPECT_EQ(evidence.text, "core clock: 1980 -> 990 MHz (x 0.50)");
  EXPECT_EQ(evidence.metric, "gpu_sm_frequency");
}

TEST(CauseText, a_time_is_told_per_cycle) {
  const auto sketch = CauseSketch(10, 10).kernel("gemm", 2, 5);
  EXPECT_EQ(told("kernels", sketch.comparison().functions.front().ms).text,
            "kernels: 2.00 -> 5.00 ms per cycle (x 2.50)");
}

TEST(CauseText, there_is_no_factor_of_nothing) {
  const auto sketch = CauseSketch(10, 10).kernel("gemm", 0, 5);
  EXPECT_EQ(told("kernels", sketch.comparison().functions.front().ms).text,
            "kernels: 0.00 -> 5.00 ms per cycle");
}

TEST(CauseText, a_sentence_is_told_as_it_is) {
  const Evidence evidence = told("own kernels did not change");
  EXPECT_EQ(evidence.text, "own kernels did not change");
  EXPECT_TRUE(evidence.function.empty());
  EXPECT_TRUE(evidence.metric.empty());
}

}  // namespace
}  // namespace strobe::compare
