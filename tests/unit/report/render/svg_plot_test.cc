#include "strobe/report/render/svg_plot.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> labels(const Scale& scale, std::size_t about = 6) {
  std::vector<std::string> labels;
  for (const Tick& tick : scale.ticks(about)) labels.push_back(tick.label);
  return labels;
}

TEST(SvgPlotTest, a_linear_scale_ends_at_round_numbers) {
  const Scale scale = Scale::linear(3, 97, 0, 100);
  EXPECT_THAT(labels(scale), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_DOUBLE_EQ(scale.at(50), 50);
}

TEST(SvgPlotTest, ticks_have_the_decimals_of_their_distance) {
  EXPECT_THAT(labels(Scale::linear(0, 0.5, 0, 10), 5),
              ElementsAre("0.0", "0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(labels(Scale::linear(0, 3000, 0, 10), 3),
              ElementsAre("0", "1,000", "2,000", "3,000"));
}

TEST(SvgPlotTest, values_outside_are_drawn_at_the_border) {
  const Scale scale = Scale::linear(0, 10, 100, 200);
  EXPECT_DOUBLE_EQ(scale.at(-5), 100);
  EXPECT_DOUBLE_EQ(scale.at(500), 200);
}

TEST(SvgPlotTest, one_value_alone_has_a_scale_around_it) {
  const Scale scale = Scale::linear(5, 5, 0, 100);
  EXPECT_GT(scale.at(5), 0);
  EXPECT_LT(scale.at(5), 100);
  EXPECT_FALSE(Scale::linear(0, 0, 0, 1).ticks().empty());
}

TEST(SvgPlotTest, a_logarithmic_scale_gives_equal_ratios_equal_room) {
  const Scale scale = Scale::logarithmic(1, 100, 0, 300);
  EXPECT_NEAR(scale.at(10) - scale.at(1), scale.at(100) - scale.at(10), 1e-9);
  EXPECT_THAT(labels(scale), ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(labels(Scale::logarithmic(1e-6, 1, 0, 300)),
              ElementsAre("1e-06", "1e-05", "0.0001", "0.001", "0.01", "0.1", "1"));
}

TEST(SvgPlotTest, names_inside_a_picture_are_text) {
  SvgPlot plot(10, 10, "a <picture>");
  plot.text(1, 2, "gemm<4>", Anchor::kEnd, "name", "the whole <name>");
  plot.circle(1, 2, 3, "n", "x & y");
  const std::string svg = std::move(plot).svg();
  EXPECT_THAT(svg, HasSubstr("aria-label=\"a &lt;picture&gt;\""));
  EXPECT_THAT(svg, HasSubstr("><title>the whole &lt;name&gt;</title>gemm&lt;4&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>x &amp; y</title></circle>"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace strobe::report
