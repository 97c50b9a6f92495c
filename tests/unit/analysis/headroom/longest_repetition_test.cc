#include "strobe/analysis/headroom/longest_repetition.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <string_view>
#include <vector>

namespace strobe::analysis {
namespace {

using Words = std::vector<std::uint32_t>;

Words letters(std::string_view text) { return {text.begin(), text.end()}; }

void expect_repetition(std::string_view text, std::size_t begin, std::size_t length,
                       std::size_t period) {
  const auto found = longest_repetition(letters(text));
  ASSERT_TRUE(found) << text;
  EXPECT_EQ(found->begin, begin) << text;
  EXPECT_EQ(found->length, length) << text;
  EXPECT_EQ(found->period, period) << text;
}

// The definition, tried out.
std::optional<Repetition> slowly(const Words& words) {
  Repetition best;
  for (std::size_t period = 2; period <= words.size() / 2; ++period) {
    for (std::size_t begin = 0; begin + 2 * period <= words.size(); ++begin) {
      std::size_t end = begin + period;
      while (end < words.size() && words[end] == words[end - period]) ++end;
      const std::size_t length = end - begin;
      const std::set<std::uint32_t> different(words.begin() + static_cast<std::ptrdiff_t>(begin),
                                              words.begin() + static_cast<std::ptrdiff_t>(end));
      if (length < 2 * period || length <= best.length || different.size() < 2) continue;
      best = {begin, length, period};
    }
  }
  if (best.length == 0) return {};
  return best;
}

TEST(LongestRepetitionTest, a_block_with_something_before_and_behind_it_is_found) {
  expect_repetition("xyabcabcabcabqq", 2, 11, 3);
}

TEST(LongestRepetitionTest, of_a_block_and_its_double_the_block_is_meant) {
  expect_repetition("abababab", 0, 8, 2);
}

TEST(LongestRepetitionTest, one_word_again_and_again_is_no_repetition) {
  EXPECT_FALSE(longest_repetition(letters("aaaaaaaaaa")));
  EXPECT_FALSE(longest_repetition(letters("")));
  EXPECT_FALSE(longest_repetition(letters("a")));
  EXPECT_FALSE(longest_repetition(letters("abcdefgh")));
  expect_repetition("aaaaaaaaaaaabcbc", 12, 4, 2);
}

TEST(LongestRepetitionTest, it_finds_what_trying_all_finds) {
  std::minstd_rand random(7);
  for (int round = 0; round < 3000; ++round) {
    Words words(random() % 40);
    const std::uint32_t alphabet = 1 + static_cast<std::uint32_t>(random() % 4);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random() % alphabet);
    const auto quick = longest_repetition(words);
    const auto slow = slowly(words);
    ASSERT_EQ(quick.has_value(), slow.has_value());
    if (!slow) continue;
    ASSERT_EQ(quick->length, slow->length);
    ASSERT_EQ(quick->period, slow->period);
    ASSERT_EQ(quick->begin, slow->begin);
  }
}

// Less than a second each on a machine of its own; trying all pairs would take minutes.
TEST(LongestRepetitionTest, a_million_words_of_any_kind_do_not_take_a_square_of_time) {
  constexpr std::size_t kMany = 1'000'000;
  const auto seconds_for = [](const Words& words) {
    const auto begin = std::chrono::steady_clock::now();
    const auto found = longest_repetition(words);
    EXPECT_TRUE(!found || found->length <= words.size());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::minstd_rand random(7);
  Words layers(kMany);
  Words different(kMany);
  Words coins(kMany);
  Words same(kMany, 3);
  Words same_but_for_a_few(kMany, 3);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    layers[i] = i % 40;
    different[i] = i;
    coins[i] = static_cast<std::uint32_t>(random() >> 8) % 2;
    if (i % 99'991 == 0) same_but_for_a_few[i] = 5 + i;
  }
  for (const Words& words : {layers, different, coins, same, same_but_for_a_few}) {
    EXPECT_LT(seconds_for(words), 30);
  }
}

}  // namespace
}  // namespace strobe::analysis
