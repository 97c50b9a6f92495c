#include "strobe/report/compare/compare_formats.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/comparison_sketch.h"
#include "tests/unit/report/render/text_lines.h"

namespace strobe::report {
namespace {

using compare::ComparisonSketch;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CompareCsvTest, one_line_per_triplet_and_one_for_functions_without_metrics) {
  const ComparisonSketch sketch =
      ComparisonSketch({100, 101, 99, 100}, {110, 111, 109, 110})
          .function("gemm", "GPU 0", {20, 21, 19, 20}, {30, 31, 29, 30})
          .metric("gpu_sm_frequency", {1980, 1980, 1980, 1980},
                  {990.125, 990.125, 990.125, 990.125})
          .function("copy", "GPU 0", {1, 1.1, 0.9, 1}, {1.1, 1.2, 1.0, 1.1});
  const auto lines = lines_of(compare_csv(sketch.comparison()));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("function,metric,device,unit,"));
  EXPECT_THAT(lines[1], StartsWith("gemm,gpu_sm_frequency,GPU 0,MHz,0,step,kernel,"));
  EXPECT_THAT(lines[1], HasSubstr(",1980,990.125,-989.875,"));
  EXPECT_THAT(lines[2], StartsWith("copy,,GPU 0,,0,step,kernel,~,"));
  const auto commas = std::ranges::count(lines[0], ',');
  EXPECT_EQ(std::ranges::count(lines[1], ','), commas);
  EXPECT_EQ(std::ranges::count(lines[2], ','), commas);
}

TEST(CompareCsvTest, names_with_commas_are_quoted_and_nan_is_empty) {
  const ComparisonSketch sketch = ComparisonSketch({100, 101, 99, 100}, {110, 111, 109, 110})
                                      .function("f<1, 2>", "GPU 0", {1, 1, 1, 1}, {1, 1, 1, 1})
                                      .metric("x", {0, 0, 0, 0}, {0, 0, 0, 0});
  const auto lines = lines_of(compare_csv(sketch.comparison()));
  EXPECT_THAT(lines[1], StartsWith("\"f<1, 2>\",x,"));
  EXPECT_THAT(lines[1], testing::Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace strobe::report
