#include "strobe/base/natural_sort.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace strobe {
namespace {

using Item = std::pair<int, int>;  // key, place in the input
bool by_key(const Item& a, const Item& b) { return a.first < b.first; }

std::vector<Item> numbered(const std::vector<int>& keys) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], static_cast<int>(i)});
  return items;
}

TEST(NaturalSortTest, it_sorts_as_a_stable_sort_does) {
  std::mt19937 random(7);
  for (int size = 0; size < 200; ++size) {
    std::vector<int> keys;
    for (int i = 0; i < size; ++i) keys.push_back(static_cast<int>(random() % 20));
    std::vector<Item> items = numbered(keys);
    std::vector<Item> expected = items;
    natural_sort(items, by_key);
    std::stable_sort(expected.begin(), expected.end(), by_key);
    EXPECT_EQ(items, expected);
  }
}

TEST(NaturalSortTest, a_sorted_list_costs_one_comparison_an_item) {
  std::vector<int> items(1000);
  for (int i = 0; i < 1000; ++i) items[static_cast<std::size_t>(i)] = i / 3;
  int comparisons = 0;
  natural_sort(items, [&](int a, int b) {
    ++comparisons;
    return a < b;
  });
  EXPECT_EQ(comparisons, 999);
}

}  // namespace

}  // namespace strobe
