#include <gmock/gmock.h>

#include <set>
#include <string>

#include "strobe/report/compare/compare_plots.h"
#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

using compare::ComparisonSketch;
using ::testing::HasSubstr;

ComparisonSketch two_functions() {
  return ComparisonSketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112})
      .function("gemm", "GPU 0", {20, 21, 19, 20, 22}, {30, 31, 29, 30, 32})
      .function("norm", "GPU 0", {5, 5.1, 4.9, 5, 5.2}, {5.5, 5.6, 5.4, 5.55, 5.7});
}

std::size_t times_in(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(CompareEffectPlotTest, only_changed_functions_are_diamonds) {
  const std::string svg = effect_plot(two_functions().comparison());
  EXPECT_EQ(times_in(svg, "<path"), 1u);
  EXPECT_EQ(times_in(svg, "class=\"same\""), 1u);
}

TEST(CompareEffectPlotTest, a_function_stands_at_the_q_of_its_time) {
  auto sketch = two_functions();
  compare::FunctionRow& gemm = sketch.edit().functions[0];
  gemm.beta.q = 0.9;
  gemm.ms.q = 0.002;
  EXPECT_THAT(effect_plot(sketch.comparison()), HasSubstr("q 0.002, slower"));
}

TEST(CompareEffectPlotTest, functions_of_one_place_have_numbers_of_different_places) {
  ComparisonSketch sketch({100, 101, 99, 100, 102}, {110, 111, 109, 110, 112});
  for (int i = 0; i < 5; ++i) {
    sketch.function("gemm" + std::to_string(i), "GPU 0", {20, 21, 19, 20, 22},
                    {30, 31, 29, 30, 32});
  }
  const std::string svg = effect_plot(sketch.comparison());
  std::set<std::string> places;
  for (int i = 1; i <= 5; ++i) {
    const std::size_t end = svg.rfind("class=\"tick\">" + std::to_string(i) + "</text>");
    ASSERT_NE(end, std::string::npos) << i;
    const std::size_t begin = svg.rfind("<text", end);
    places.insert(svg.substr(begin, end - begin));
  }
  EXPECT_EQ(places.size(), 5u);
}

TEST(CompareEffectPlotTest, nothing_to_draw_draws_nothing) {
  const ComparisonSketch bare({100, 101, 99, 100}, {100, 101, 99, 100});
  EXPECT_EQ(effect_plot(bare.comparison()), "");
  auto vanished = two_functions();
  for (compare::FunctionRow& row : vanished.edit().functions) row.ms.abnormal_median = 0;
  EXPECT_EQ(effect_plot(vanished.comparison()), "");
}

}  // namespace
}  // namespace strobe::report
