#include "strobe/compare/family.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strobe::compare {
namespace {

// 0.01 * 2/1 and 0.04 * 2/2; the third could never have succeeded and does not count.
TEST(FamilyTest, tests_without_a_chance_take_no_part) {
  Change a;
  a.rank.p = 0.01;
  Change b;
  b.rank.p = 0.04;
  Change c;
  c.rank.p = 0.001;
  c.too_few = true;
  adjust_family({&a, &b, &c});
  EXPECT_DOUBLE_EQ(a.q, 0.02);
  EXPECT_DOUBLE_EQ(b.q, 0.04);
  EXPECT_TRUE(std::isnan(c.q));
}

}  // namespace
}  // namespace strobe::compare
