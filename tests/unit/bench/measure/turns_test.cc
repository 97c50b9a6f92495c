#include "strobe/bench/measure/turns.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::bench {
namespace {

TEST(Turns, every_round_has_everybody_once) {
  Turns turns(4, 9);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THAT(turns.next_round(), ::testing::UnorderedElementsAre(0, 1, 2, 3));
  }
}

TEST(Turns, the_seed_tells_the_order) {
  Turns first(5, 3);
  Turns again(5, 3);
  Turns other(5, 4);
  bool differs = false;
  for (int round = 0; round < 10; ++round) {
    const auto order = first.next_round();
    EXPECT_EQ(order, again.next_round());
    differs |= order != other.next_round();
  }
  EXPECT_TRUE(differs);
}

TEST(Turns, all_orders_are_equally_likely) {
  Turns turns(3, 1);
  std::map<std::vector<std::size_t>, int> counts;
  for (int round = 0; round < 6000; ++round) ++counts[turns.next_round()];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST(Turns, nobody_has_a_round_of_nobody) {
  EXPECT_TRUE(Turns(0, 1).next_round().empty());
  EXPECT_THAT(Turns(1, 1).next_round(), ::testing::ElementsAre(0));
}

}  // namespace
}  // namespace strobe::bench
