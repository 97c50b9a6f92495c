#include "strobe/analysis/headroom/kernel_layers.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string_view>
#include <vector>

namespace strobe::analysis {
namespace {

// One row per letter; 'n' is a normalisation.
std::vector<LayerRow> layer_rows(std::string_view names, std::int64_t ns = 100) {
  std::vector<LayerRow> rows;
  for (const char name : names) {
    rows.push_back({static_cast<std::uint32_t>(name), name == 'n', {ns, 10.0, 20.0}});
  }
  return rows;
}

TEST(KernelLayersTest, a_list_is_cut_into_prologue_layers_and_epilogue) {
  const auto layers =
      find_layers(layer_rows("ex"
                             "nabc"
                             "nabc"
                             "nabc"
                             "nz"));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->prologue_rows, 2u);
  EXPECT_EQ(layers->layers, 3u);
  EXPECT_EQ(layers->rows_per_layer, 4u);
  EXPECT_EQ(layers->epilogue_rows, 2u);
  EXPECT_EQ(layers->layer_ns, (std::vector<std::int64_t>{400, 400, 400}));
  EXPECT_EQ(layers->first_row_of(2), 10u);
  EXPECT_TRUE(layers->odd_layers.empty());
}

// The repetition begins with "bc", which belongs to no whole layer.
TEST(KernelLayersTest, layers_begin_with_the_norm_even_if_the_repetition_begins_earlier) {
  const auto layers =
      find_layers(layer_rows("bc"
                             "nabc"
                             "nabc"
                             "nabc"));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->prologue_rows, 2u);
  EXPECT_EQ(layers->layers, 3u);
  EXPECT_EQ(layers->epilogue_rows, 0u);
}

TEST(KernelLayersTest, layers_without_a_norm_begin_where_the_repetition_does) {
  const auto layers =
      find_layers(layer_rows("x"
                             "abc"
                             "abc"
                             "y"));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->prologue_rows, 1u);
  EXPECT_EQ(layers->layers, 2u);
}

// Training steps: the list begins with its first, whatever comes before a norm.
TEST(KernelLayersTest, the_norm_does_not_cost_a_layer) {
  const auto layers =
      find_layers(layer_rows("abnc"
                             "abnc"
                             "abnc"));
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->prologue_rows, 0u);
  EXPECT_EQ(layers->layers, 3u);
  EXPECT_EQ(layers->epilogue_rows, 0u);
}

TEST(KernelLayersTest, a_list_that_does_not_repeat_has_no_layers) {
  EXPECT_FALSE(find_layers({}));
  EXPECT_FALSE(find_layers(layer_rows("a")));
  EXPECT_FALSE(find_layers(layer_rows("nabcdefgh")));
  EXPECT_FALSE(find_layers(layer_rows("aaaaaaaaaaaa")));           // a loop over one kernel
  EXPECT_FALSE(find_layers(layer_rows("nabcdefghijklmopxyxyq")));  // four rows of 21: chance
}

TEST(KernelLayersTest, every_row_is_in_exactly_one_part) {
  const auto rows = layer_rows(
      "ex"
      "nabc"
      "nabc"
      "nabc"
      "nz");
  const auto layers = find_layers(rows);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->prologue.launches, 2u);
  EXPECT_EQ(layers->inside.launches, 12u);
  EXPECT_EQ(layers->epilogue.launches, 2u);
  ASSERT_EQ(layers->positions.size(), 4u);
  KernelSums positions;
  for (const KernelSums& position : layers->positions) {
    EXPECT_EQ(position.launches, 3u);
    positions.add(position);
  }
  EXPECT_EQ(positions.latency_ns, layers->inside.latency_ns);
  EXPECT_EQ(positions.headroom_ns_percent, layers->inside.headroom_ns_percent);
}

// Layers of 300, 302, 304, 306, 308 ns: median 304, deviations 4 2 0 2 4, so 3 MAD are 6 ns; with
// 330 in place of 308 that layer lies 26 off.
TEST(KernelLayersTest, a_layer_far_from_the_others_is_odd) {
  auto rows = layer_rows(
      "nab"
      "nab"
      "nab"
      "nab"
      "nab");
  for (std::size_t layer = 0; layer < 5; ++layer) {
    rows[3 * layer].sample.latency_ns += 2 * static_cast<std::int64_t>(layer);
  }
  EXPECT_TRUE(find_layers(rows)->odd_layers.empty());
  rows[3 * 4].sample.latency_ns += 22;
  EXPECT_EQ(find_layers(rows)->odd_layers, std::vector<std::size_t>{4});
}

TEST(KernelLayersTest, among_layers_that_hardly_differ_a_hair_is_not_odd) {
  auto rows = layer_rows(
      "nab"
      "nab"
      "nab"
      "nab"
      "nab",
      1000);
  rows[3].sample.latency_ns += 10;  // 0.33 % of a layer, with a deviation of zero
  EXPECT_TRUE(find_layers(rows)->odd_layers.empty());
  rows[3].sample.latency_ns += 10;
  EXPECT_EQ(find_layers(rows)->odd_layers, std::vector<std::size_t>{1});
}

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

// The definition, by brute force.
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

// Less than a second each on an idle machine; trying all pairs would take minutes.
// A square of time would run into the time limit of the tests.
TEST(LongestRepetitionTest, many_words_of_any_kind_do_not_take_a_square_of_time) {
  constexpr std::size_t kMany = 300'000;
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
    if (i % 29'989 == 0) same_but_for_a_few[i] = 5 + i;
  }
  for (const Words& words : {layers, different, coins, same, same_but_for_a_few}) {
    const auto found = longest_repetition(words);
    EXPECT_TRUE(!found || found->length <= words.size());
  }
}

}  // namespace

}  // namespace strobe::analysis
