#include "strobe/base/whole_number.h"

#include <gtest/gtest.h>

namespace strobe {
namespace {

TEST(WholeNumberTest, the_whole_text_must_be_one) {
  EXPECT_EQ(parse_whole_number("-12"), -12);
  EXPECT_EQ(parse_whole_number("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_whole_number("9223372036854775808"), std::nullopt);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "1.0", "0x10"}) {
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace strobe
