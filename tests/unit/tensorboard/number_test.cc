#include "strobe/tensorboard/number.h"

#include <gtest/gtest.h>

#include <vector>

namespace strobe::tensorboard {
namespace {

Number whole(double value) { return Number::whole(value); }
Number real(double value) { return Number::real(value); }

TEST(NumberTest, whole_numbers_stay_whole_until_a_real_one_or_a_division_comes) {
  EXPECT_EQ(to_text(whole(2) + whole(3)), "5");
  EXPECT_EQ(to_text(whole(2) * whole(3) - whole(1)), "5");
  EXPECT_EQ(to_text(whole(2) + real(3)), "5.0");
  EXPECT_EQ(to_text(ratio(whole(10), whole(2))), "5.0");
}

TEST(NumberTest, the_smaller_and_the_larger_keep_their_kind_and_the_first_wins_a_tie) {
  EXPECT_EQ(to_text(smaller(whole(1), real(1))), "1");
  EXPECT_EQ(to_text(larger(real(1), whole(1))), "1.0");
  EXPECT_EQ(to_text(larger(whole(1), real(2))), "2.0");
}

TEST(NumberTest, a_division_by_zero_is_zero) {
  EXPECT_EQ(to_text(ratio(whole(3), whole(0))), "0.0");
}

TEST(NumberTest, halves_round_to_even) {
  EXPECT_EQ(to_text(round_to_whole(real(82.5))), "82");
  EXPECT_EQ(to_text(round_to_whole(real(89069.5))), "89070");
}

TEST(NumberTest, decimals_are_decided_on_the_exact_binary_value) {
  EXPECT_EQ(to_text(round2(real(2.675))), "2.67");  // it is 2.67499999...
  EXPECT_EQ(to_text(round2(real(0.125))), "0.12");  // exact tie, to even
  EXPECT_EQ(to_text(round2(real(7.5))), "7.5");
  EXPECT_EQ(to_text(round2(whole(7))), "7");
  EXPECT_EQ(to_text(round2(real(-0.001))), "-0.0");
}

TEST(NumberTest, small_values_keep_their_first_digit) {
  EXPECT_EQ(to_text(round_significant(real(0.0078125))), "0.008");
  EXPECT_EQ(to_text(round_significant(real(0.01))), "0.01");
  EXPECT_EQ(to_text(round_significant(real(0))), "0.0");
  EXPECT_EQ(to_text(round_significant(real(-0.00012))), "-0.0001");
}

TEST(NumberTest, text_is_the_shortest_that_reads_back) {
  EXPECT_EQ(to_text(real(0.1)), "0.1");
  EXPECT_EQ(to_text(real(100)), "100.0");
  EXPECT_EQ(to_text(real(0.0001)), "0.0001");
  EXPECT_EQ(to_text(real(0.00001)), "1e-05");
  EXPECT_EQ(to_text(real(1.5e-7)), "1.5e-07");
  EXPECT_EQ(to_text(real(1e15)), "1000000000000000.0");
  EXPECT_EQ(to_text(real(1e16)), "1e+16");
  EXPECT_EQ(to_text(real(1e100)), "1e+100");
  EXPECT_EQ(to_text(real(-0.0)), "-0.0");
  EXPECT_EQ(to_text(real(3848423551855.532)), "3848423551855.532");
  EXPECT_EQ(to_text(whole(1623142623460111)), "1623142623460111");
}

TEST(NumberTest, json_has_no_word_for_what_is_not_finite) {
  EXPECT_EQ(json_text(real(1.0 / 0.0)), "null");
  EXPECT_EQ(json_text(real(2)), "2.0");
}

TEST(NumberTest, python_shows_lists_none_and_texts_in_its_own_way) {
  EXPECT_EQ(repr("[]"), "[]");
  EXPECT_EQ(repr("[[ 1,2 ],[], [3,[4.50]] ]"), "[[1, 2], [], [3, [4.5]]]");
  EXPECT_EQ(repr(R"([null,"a",true])"), "[None, 'a', True]");
  EXPECT_EQ(repr("7"), "7");
}

TEST(NumberTest, a_list_may_nest_as_deep_as_it_likes) {
  constexpr std::size_t kDepth = 200000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_EQ(repr(deep), deep);
}

TEST(NumberTest, the_kahan_sum_keeps_what_a_plain_sum_loses) {
  KahanSum sum;
  double plain = 0;
  for (int i = 0; i < 10; ++i) {
    sum.add(0.1);
    plain += 0.1;
  }
  EXPECT_EQ(sum.sum(), 1.0);
  EXPECT_NE(plain, 1.0);
}

TEST(NumberTest, the_pairwise_sum_adds_in_eight_lanes_and_halves) {
  // 9 values: eight lanes combined as a tree, then the leftover.
  const std::vector<double> nine{1e16, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(pairwise_sum(nine), (((1e16 + 1) + (1.0 + 1)) + ((1.0 + 1) + (1.0 + 1))) + 1);
  std::vector<double> many(300, 0.1);
  const double first = pairwise_sum(std::span<const double>(many).first(144));
  const double rest = pairwise_sum(std::span<const double>(many).subspan(144));
  EXPECT_EQ(pairwise_sum(many), first + rest);
  EXPECT_EQ(pairwise_sum({}), 0.0);
}

}  // namespace
}  // namespace strobe::tensorboard
