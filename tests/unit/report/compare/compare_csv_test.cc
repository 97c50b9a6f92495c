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
  ComparisonSketch sketch = ComparisonSketch({100, 101, 99, 100}, {110, 111, 109, 110})
                                .function("gemm", "GPU 0", {20, 21, 19, 20}, {30, 31, 29, 30})
                                .metric("gpu_sm_frequency", {1980, 1980, 1980, 1980},
                                        {990.125, 990.125, 990.125, 990.125})
                                .function("copy", "GPU 0", {1, 1.1, 0.9, 1}, {1.1, 1.2, 1.0, 1.1});
  sketch.edit().functions[1].robust = 0.25;
  const auto lines = lines_of(compare_csv(sketch.comparison()));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("function,metric,device,unit,"));
  EXPECT_THAT(lines[1], StartsWith("gemm,gpu_sm_frequency,GPU 0,MHz,0,step,kernel,"));
  EXPECT_THAT(lines[1], HasSubstr(",1980,990.125,-989.875,"));
  EXPECT_THAT(lines[2], StartsWith("copy,,GPU 0,,0,step,kernel,~,"));
  EXPECT_THAT(lines[2], HasSubstr(",0.25" + std::string(16, ',') + "~ "))
      << "both scores are known without metrics";
  EXPECT_THAT(lines[0], ::testing::EndsWith(",verdict_text,ms_median_normal,ms_median_abnormal"));
  EXPECT_THAT(lines[1], ::testing::EndsWith(",slower,20,30")) << "as the tables have it";
  const auto commas = std::ranges::count(lines[0], ',');
  EXPECT_EQ(std::ranges::count(lines[1], ','), commas);
  EXPECT_EQ(std::ranges::count(lines[2], ','), commas);
}

TEST(CompareCsvTest, a_sample_that_cycles_share_counts_once) {
  ComparisonSketch sketch =
      ComparisonSketch({100, 101, 99, 100}, {110, 111, 109, 110})
          .function("gemm", "GPU 0", {20, 21, 19, 20}, {30, 31, 29, 30})
          .metric("gpu_sm_frequency", {1980, 1980, 1980, 1980}, {990, 990, 990, 990});
  sketch.edit().triplets[0].suspicion = 77;
  sketch.edit().triplets[0].robust = 7;
  EXPECT_THAT(lines_of(compare_csv(sketch.comparison()))[1], HasSubstr(",77,7,4,4,1980,990,"));
  sketch.edit().triplets[0].mu_by_sample =
      compare::change_between(std::vector<double>{1980}, std::vector<double>{990, 990});
  EXPECT_THAT(lines_of(compare_csv(sketch.comparison()))[1], HasSubstr(",77,7,1,2,1980,990,"));
}

TEST(CompareCsvTest, names_with_commas_are_quoted_and_nan_is_empty) {
  const ComparisonSketch sketch = ComparisonSketch({100, 101, 99, 100}, {110, 111, 109, 110})
                                      .function("f<1, 2>", "GPU 0", {1, 1, 1, 1}, {1, 1, 1, 1})
                                      .metric("x", {0, 0, 0, 0}, {0, 0, 0, 0});
  const auto lines = lines_of(compare_csv(sketch.comparison()));
  EXPECT_THAT(lines[1], StartsWith("\"f<1, 2>\",x,"));
  EXPECT_THAT(lines[1], ::testing::Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace strobe::report
