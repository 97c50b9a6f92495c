#include "strobe/device/template_number.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(TemplateNumberTest, numbers_come_in_many_spellings) {
  EXPECT_EQ(template_number("4"), "4");
  EXPECT_EQ(template_number("(int)4"), "4");
  EXPECT_EQ(template_number("256u"), "256");
  EXPECT_EQ(template_number("2ul"), "2");
  EXPECT_EQ(template_number("-2"), "-2");
  EXPECT_EQ(template_number("(cub::SortOrder)0"), "0");
  EXPECT_EQ(template_number("(bool)1"), "1");
  EXPECT_EQ(template_number("true"), "1");
  EXPECT_EQ(template_number("false"), "0");
}

TEST(TemplateNumberTest, other_arguments_have_none) {
  for (const char* const argument :
       {"", "-", "float", "4x", "(anonymous namespace)::T", "(int", "u", "f<4>"}) {
    EXPECT_EQ(template_number(argument), "") << argument;
  }
}

}  // namespace
}  // namespace strobe::device
