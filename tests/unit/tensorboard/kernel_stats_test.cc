#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "strobe/tensorboard/kernel_stats.h"
#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

using ::testing::ElementsAre;

TEST(KernelStatsTest, kernels_of_one_name_are_one_row_and_the_longest_comes_first) {
  const auto profile = profile_of(TraceLines()
                                      .x("kernel", "b", 0, 4)
                                      .x("kernel", "a", 5, 1)
                                      .x("kernel", "b", 10, 8)
                                      .x("gpu_memcpy", "copy", 20, 99));
  ASSERT_EQ(profile->kernels.size(), 2u);
  const KernelStat& stat = profile->kernels[0];
  EXPECT_EQ(profile->events.text(stat.name), "b");
  EXPECT_EQ(stat.count, 2u);
  EXPECT_EQ(to_text(stat.sum), "12");
  EXPECT_EQ(to_text(stat.mean), "6.0");
  EXPECT_EQ(to_text(stat.max), "8");
  EXPECT_EQ(to_text(stat.min), "4");
}

TEST(KernelStatsTest, one_real_duration_makes_every_row_real) {
  const auto profile = profile_of(TraceLines().x("kernel", "a", 0, 4).x("kernel", "b", 5, 0.5));
  EXPECT_EQ(to_text(profile->kernels[0].sum), "4.0");
  EXPECT_EQ(to_text(profile->kernels[0].max), "4.0");
}

TEST(KernelStatsTest, means_are_weighted_by_duration_and_missing_values_are_0) {
  const auto profile =
      profile_of(TraceLines()
                     .x("kernel", "a", 0, 3, R"("blocks per SM":2,"est. achieved occupancy %":50)")
                     .x("kernel", "a", 5, 1)
                     .x("kernel", "zero", 9, 0, R"("blocks per SM":2)"));
  EXPECT_EQ(to_text(profile->kernels[0].blocks_per_sm), "1.5");
  EXPECT_EQ(to_text(profile->kernels[0].occupancy_percent), "37.5");
  EXPECT_EQ(to_text(profile->kernels[1].blocks_per_sm), "0.0");
}

TEST(KernelStatsTest, launches_are_told_apart_by_operator_and_configuration) {
  const auto lines = [](std::string_view more) {
    TraceLines trace;
    trace.op("aten::mm", 0, 50, R"("External id":1)");
    for (int i = 1; i <= 2; ++i) {
      const std::string link = R"("External id":1,"correlation":)" + std::to_string(i);
      trace.x("cuda_runtime", "launch", i, 1, link);
      trace.x("kernel", "k", 10 * i, i, link + (i == 2 ? std::string(more) : ""), "7", "0");
    }
    return trace;
  };
  EXPECT_EQ(profile_of(lines(""))->launched_kernels.size(), 1u);
  EXPECT_EQ(profile_of(lines(R"(,"registers per thread":0)"))->launched_kernels.size(), 1u);
  EXPECT_EQ(profile_of(lines(R"(,"registers per thread":32)"))->launched_kernels.size(), 2u);
  EXPECT_EQ(profile_of(lines(R"(,"grid":[1,1,1])"))->launched_kernels.size(), 2u);
  const auto profile = profile_of(lines(""));
  const LaunchedKernelStat& stat = profile->launched_kernels[0];
  EXPECT_EQ(stat.op_name, "aten::mm");
  EXPECT_TRUE(stat.op_is_eligible);
  EXPECT_THAT(stat.launch, ::testing::ElementsAre("None", "None", "0", "0"));
  EXPECT_EQ(stat.calls, 2u);
  EXPECT_EQ(stat.total, Number::whole(3));
  EXPECT_EQ(stat.max, Number::whole(2));
  EXPECT_EQ(stat.min, Number::whole(1));
}

TEST(KernelStatsTest, kernels_that_no_tree_reaches_are_only_in_the_table_by_name) {
  const auto profile = profile_of(TraceLines().op("a", 0, 1).x("kernel", "k", 5, 1));
  EXPECT_EQ(profile->kernels.size(), 1u);
  EXPECT_TRUE(profile->launched_kernels.empty());
}

}  // namespace

}  // namespace strobe::tensorboard
