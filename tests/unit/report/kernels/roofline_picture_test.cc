#include "strobe/report/kernels/roofline_picture.h"

#include <gmock/gmock.h>

namespace strobe::report {
namespace {

using analysis::Roofline;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Roofline a_roofline() {
  Roofline roofline;
  roofline.compute = {{analysis::RoofKind::kF16Matrix, 1e15}};
  roofline.memory = {{analysis::RoofKind::kDram, 5e12}};
  roofline.ridge_flop_per_byte = 200;
  analysis::RooflinePoint product;
  product.flop_per_s = 5e14;
  product.flop_per_byte = 1000;
  product.tensor_percent = 50;
  product.dram_percent = 10;
  analysis::RooflinePoint sum = product;
  sum.flop_per_s = 2e12;
  sum.flop_per_byte = 0.5;
  sum.tensor_percent = 0;
  sum.dram_percent = 80;
  roofline.points = {product, sum};
  return roofline;
}

struct Place {
  std::size_t line = 0;
  std::size_t column = 0;
};

// The position of a letter; axes and labels do not contain these.
Place place_of(char letter, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t bar = lines[i].find_first_of("|+");
    if (bar == std::string::npos) continue;
    const std::size_t column = lines[i].find(letter, bar);
    if (column != std::string::npos) return {i, column};
  }
  ADD_FAILURE() << letter << " is not in the picture";
  return {};
}

TEST(RooflinePictureTest, more_work_per_byte_stands_right_and_faster_stands_above) {
  const auto lines = rate_picture(a_roofline(), 10, 100);
  const Place product = place_of('A', lines);
  const Place sum = place_of('B', lines);
  EXPECT_GT(product.column, sum.column);
  EXPECT_LT(product.line, sum.line);
  EXPECT_THAT(lines, Contains(HasSubstr("f16 matrix 1.00 PFLOP/s")));
  EXPECT_THAT(lines, Contains(HasSubstr("/// DRAM 5.00 TB/s")));
  EXPECT_THAT(lines, Contains(HasSubstr("//")));
  EXPECT_THAT(lines, Contains(HasSubstr("----")));
}

TEST(RooflinePictureTest, no_line_is_wider_than_the_page) {
  for (const std::size_t columns : {60u, 100u, 200u}) {
    for (const std::string& line : rate_picture(a_roofline(), 10, columns)) {
      EXPECT_LE(line.size() + 2, columns) << line;
    }
    for (const std::string& line : share_picture(a_roofline(), 10, columns)) {
      EXPECT_LE(line.size() + 2, columns) << line;
    }
  }
}

TEST(RooflinePictureTest, points_without_a_letter_are_marks) {
  const auto lines = rate_picture(a_roofline(), 1, 100);
  place_of('A', lines);
  EXPECT_EQ(place_of('o', lines).line, place_of('B', rate_picture(a_roofline(), 2, 100)).line);
}

TEST(RooflinePictureTest, shares_stand_in_a_square) {
  const auto lines = share_picture(a_roofline(), 10, 100);
  const Place product = place_of('A', lines);
  const Place sum = place_of('B', lines);
  EXPECT_LT(product.line, sum.line);
  EXPECT_LT(product.column, sum.column);
  EXPECT_EQ(sum.line, 20u);  // no tensor at all: on the axis
}

TEST(RooflinePictureTest, without_numbers_there_is_no_picture) {
  Roofline roofline;
  roofline.points.resize(2);
  EXPECT_THAT(rate_picture(roofline, 10, 100), IsEmpty());
  EXPECT_THAT(share_picture(roofline, 10, 100), IsEmpty());
}

}  // namespace
}  // namespace strobe::report
