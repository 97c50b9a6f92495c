#include "strobe/paddle/kernel_name.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

namespace strobe::paddle {
namespace {

TEST(KernelNameTest, a_template_loses_its_parameter_list) {
  EXPECT_EQ(without_parameters("void copyk<4>(int)"), "void copyk<4>");
  EXPECT_EQ(without_parameters("f<a>(b<c>(d), e)"), "f<a>(b<c>");
  EXPECT_EQ(without_parameters("f<1>()"), "f<1>");
  EXPECT_EQ(without_parameters("f<1>(int) [clone .x]"), "f<1>");
}

TEST(KernelNameTest, what_has_no_template_or_no_parameters_stays_whole) {
  EXPECT_EQ(without_parameters("gemm(int)"), "gemm(int)");
  EXPECT_EQ(without_parameters("f<4>"), "f<4>");
  EXPECT_EQ(without_parameters("f<4>(int"), "f<4>(int");
  EXPECT_EQ(without_parameters("<4>(int)"), "<4>(int)");
  EXPECT_EQ(without_parameters(""), "");
}

// The rule stands in for this expression, of which groups 1 and 2 are kept.
TEST(KernelNameTest, agrees_with_the_regular_expression_it_replaces) {
  const std::regex expression(R"(^(.+?)(<.*>)(\(.*\)))");
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> letter(0, 5);
  std::uniform_int_distribution<std::size_t> length(0, 14);
  for (int i = 0; i < 20000; ++i) {
    std::string name(length(random), ' ');
    for (char& c : name) c = "<>()ab"[letter(random)];
    std::smatch match;
    const std::string expected =
        std::regex_search(name, match, expression) ? match[1].str() + match[2].str() : name;
    ASSERT_EQ(without_parameters(name), expected) << name;
  }
}

}  // namespace
}  // namespace strobe::paddle
