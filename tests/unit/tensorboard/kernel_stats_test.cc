#include "strobe/tensorboard/kernel_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/tensorboard/profile.h"
#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Profile> profile_of(const TraceLines& lines) {
  auto profile = read_profile(lines.text());
  EXPECT_TRUE(profile);
  return *profile;
}

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
  EXPECT_THAT(stat.launch, testing::ElementsAre("None", "None", "0", "0"));
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
