#include "strobe/tensorboard/numpy_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strobe::tensorboard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NumpyOrderTest, few_values_are_sorted_stably) {
  EXPECT_THAT(descending_order(std::vector<double>{1, 3, 2, 3, 1}), ElementsAre(1, 3, 2, 0, 4));
  EXPECT_THAT(descending_order({}), IsEmpty());
}

// Seventeen equal values: one partition runs, no comparison is ever true, so both pointers stop at
// every step and swap, and the insertion sorts of the two halves change nothing.
TEST(NumpyOrderTest, equal_values_come_out_as_the_quicksort_leaves_them) {
  EXPECT_THAT(descending_order(std::vector<double>(17, 1.0)),
              ElementsAre(0, 9, 15, 14, 13, 12, 11, 10, 8, 1, 7, 6, 5, 4, 3, 2, 16));
  EXPECT_THAT(descending_order(
                  std::vector<double>{5, 1, 4, 1, 3, 1, 2, 9, 8, 7, 6, 1, 1, 5, 5, 4, 4, 3, 0, 2}),
              ElementsAre(7, 8, 9, 10, 14, 13, 0, 2, 15, 16, 4, 17, 6, 19, 5, 1, 11, 12, 3, 18));
}

TEST(NumpyOrderTest, many_values_come_out_descending) {
  std::vector<double> values;
  unsigned state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1103515245 + 12345;
    values.push_back(static_cast<double>(state >> 20));
  }
  const std::vector<std::size_t> order = descending_order(values);
  EXPECT_TRUE(std::ranges::is_sorted(
      order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; }));
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), values.size());
}

}  // namespace
}  // namespace strobe::tensorboard
