#include "strobe/compare/comparison_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/side_sketch.h"

namespace strobe::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SideFacts side_on(const std::string& label, std::int32_t rank,
                  const std::vector<std::string>& devices) {
  SideSketch sketch(label, {10, 10});
  sketch.rank(rank);
  for (const std::string& device : devices) {
    sketch.device(device).function("gemm", {1, 1}).metric("clock", {5, 5});
  }
  return sketch.side();
}

TEST(PairingTest, equal_devices_need_nothing) {
  const SideFacts normal = side_on("normal", 0, {"GPU 0"});
  SideFacts other = normal;
  const auto done = align_with(normal, other, false);
  ASSERT_TRUE(done);
  EXPECT_THAT(*done, IsEmpty());
}

TEST(PairingTest, other_devices_are_an_error_with_a_way_out) {
  const SideFacts normal = side_on("normal", 0, {"GPU 0"});
  SideFacts other = side_on("abnormal", 0, {"GPU 7"});
  const auto refused = align_with(normal, other, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(refused.error().what, HasSubstr("'normal' has GPU 0, 'abnormal' has GPU 7"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--align"));

  const auto done = align_with(normal, other, true);
  ASSERT_TRUE(done);
  EXPECT_THAT(*done, ElementsAre(HasSubstr("GPU 0 of normal with GPU 7 of abnormal")));
  EXPECT_EQ(other.ranks[0].functions[0].key.device, "GPU 0");
  EXPECT_EQ(other.ranks[0].devices[1].device, "GPU 0");
  EXPECT_EQ(other.ranks[0].series[0].device, "GPU 0");
}

TEST(PairingTest, a_device_more_is_no_reason_to_refuse) {
  const SideFacts normal = side_on("normal", 0, {"GPU 0", "GPU 1"});
  SideFacts other = side_on("abnormal", 0, {"GPU 1"});
  EXPECT_TRUE(align_with(normal, other, false));
  EXPECT_EQ(other.ranks[0].devices[1].device, "GPU 1");
}

TEST(PairingTest, other_ranks_are_treated_alike) {
  const SideFacts normal = side_on("normal", 0, {"GPU 0"});
  SideFacts other = side_on("abnormal", 3, {"GPU 0"});
  const auto refused = align_with(normal, other, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the runs have different ranks: 'normal' has 0, 'abnormal' has 3");
  EXPECT_EQ(refused.error().where, "") << "no file is at fault";
  ASSERT_TRUE(align_with(normal, other, true));
  EXPECT_EQ(other.ranks[0].rank, 0);
}

TEST(PairingTest, ranks_of_one_side_only_are_named) {
  SideFacts normal = side_on("normal", 0, {});
  SideFacts other = side_on("abnormal", 2, {});
  for (SideFacts* side : {&normal, &other}) side->ranks.push_back(side_on("", 1, {}).ranks[0]);
  const auto refused = align_with(normal, other, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("only 'normal' has 0, only 'abnormal' has 2"));
}

TEST(PairingTest, without_a_common_rank_each_run_says_what_it_has) {
  const Error error =
      no_common_rank(side_on("a", 0, {}), side_on("b", 2, {}),
                     {.normal = {side_on("c", 1, {})}, .abnormal = {side_on("d", 3, {})}});
  EXPECT_EQ(error.what,
            "the runs have no rank in common: 'a' has 0, 'c' has 1, 'b' has 2, 'd' has 3");
}

TEST(PairingTest, ranks_are_paired_where_every_run_has_them) {
  SideFacts normal = side_on("normal", 1, {});
  normal.ranks.push_back(side_on("", 0, {}).ranks[0]);
  SideFacts abnormal = normal;
  const SideFacts baseline = side_on("more", 1, {});
  EXPECT_EQ(pair_ranks(normal, abnormal, {}).size(), 2u);
  EXPECT_EQ(pair_ranks(normal, abnormal, {}).front().rank, 0);
  const More<SideFacts> more = {.normal = {baseline}, .abnormal = {abnormal}};
  const auto pairs = pair_ranks(normal, abnormal, more);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].rank, 1);
  EXPECT_THAT(pairs[0].normals, ElementsAre(&normal.ranks[0], &more.normal[0].ranks[0]));
  EXPECT_THAT(pairs[0].abnormals, ElementsAre(&abnormal.ranks[0], &more.abnormal[0].ranks[0]));
  EXPECT_THAT(pair_ranks(normal, abnormal, {.normal = {}, .abnormal = {side_on("", 4, {})}}),
              ::testing::IsEmpty());
}

TEST(PairingTest, types_that_one_run_alone_has_are_given_up) {
  SideFacts normal = side_on("normal", 0, {});
  SideFacts abnormal = side_on("abnormal", 0, {});
  EXPECT_FALSE(unify_types({&normal, &abnormal}));
  for (std::size_t i = 0; i < 2; ++i) {
    abnormal.ranks[0].cycles.cycles[i].type =
        i == 0 ? analysis::CycleType::kShort : analysis::CycleType::kLong;
  }
  SideFacts same = abnormal;
  EXPECT_FALSE(unify_types({&same, &abnormal}));
  EXPECT_TRUE(unify_types({&normal, &abnormal}));
  EXPECT_EQ(abnormal.ranks[0].cycles.cycles[0].type, analysis::CycleType::kStep);
}

}  // namespace
}  // namespace strobe::compare
