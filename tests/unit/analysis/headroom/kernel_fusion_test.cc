#include "strobe/analysis/headroom/kernel_fusion.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

using device::KernelFamily;

// "g10" would be a product of 10 ns: letters are families, each row has a length of its own.
FusionRow row(char family, std::int64_t ns, std::uint32_t stream = 0) {
  FusionRow fusion;
  switch (family) {
    case 'g':
      fusion.family = KernelFamily::kGemm;
      break;
    case 's':
      fusion.family = KernelFamily::kSoftmax;
      break;
    case 'n':
      fusion.family = KernelFamily::kNorm;
      break;
    case 'c':
      fusion.family = KernelFamily::kCollective;
      break;
    case 'm':
      fusion.family = KernelFamily::kCopy;
      break;
    default:
      fusion.family = KernelFamily::kElementwise;
  }
  fusion.name = static_cast<std::uint32_t>(family);
  fusion.sample = {ns, 0.0, 0.0};
  fusion.stream = stream;
  return fusion;
}

TEST(KernelFusionTest, a_run_ends_at_products_and_saves_all_but_its_slowest) {
  const FusionPlan plan = plan_fusions(std::vector{row('g', 50), row('e', 10), row('s', 30),
                                                   row('e', 20), row('g', 50), row('e', 9)});
  ASSERT_EQ(plan.runs.size(), 1u);
  EXPECT_EQ(plan.runs[0].first_row, 1u);
  EXPECT_EQ(plan.runs[0].rows, 3u);
  EXPECT_EQ(plan.runs[0].latency_ns, 60);
  EXPECT_EQ(plan.runs[0].saved_ns, 30);
  EXPECT_TRUE(plan.runs[0].follows_matrix);
  EXPECT_TRUE(plan.runs[0].precedes_matrix);
  EXPECT_EQ(plan.rows, 3u);
  EXPECT_EQ(plan.saved_ns, 30);
}

TEST(KernelFusionTest, collectives_copies_and_other_streams_end_a_run_as_well) {
  const auto runs_of = [](const std::vector<FusionRow>& rows) {
    return plan_fusions(rows).runs.size();
  };
  EXPECT_EQ(runs_of({row('e', 1), row('c', 1), row('e', 1)}), 0u);
  EXPECT_EQ(runs_of({row('e', 1), row('m', 1), row('e', 1)}), 0u);
  EXPECT_EQ(runs_of({row('e', 1, 7), row('e', 1, 8)}), 0u);
  EXPECT_EQ(runs_of({row('e', 1, 7), row('e', 1, 7), row('e', 1, 8), row('e', 1, 8)}), 2u);
  std::vector<FusionRow> devices = {row('e', 1), row('e', 1)};
  devices[1].device = 1;
  EXPECT_EQ(runs_of(devices), 0u);
  EXPECT_EQ(runs_of({}), 0u);
}

TEST(KernelFusionTest, a_kernel_that_keeps_the_matrix_pipe_busy_is_a_product_whatever_its_name) {
  EXPECT_TRUE(does_matrix_work(KernelFamily::kGemm, {}));
  EXPECT_FALSE(does_matrix_work(KernelFamily::kOther, {}));
  EXPECT_FALSE(does_matrix_work(KernelFamily::kOther, 4.9));
  EXPECT_TRUE(does_matrix_work(KernelFamily::kOther, 5));
  EXPECT_FALSE(does_matrix_work(KernelFamily::kElementwise, 12));  // packed arithmetic
  EXPECT_TRUE(does_matrix_work(KernelFamily::kElementwise, 30));
  std::vector<FusionRow> rows = {row('e', 1), row('e', 1)};
  EXPECT_EQ(plan_fusions(rows).runs.size(), 1u);
  rows[0].sample.tensor_percent = 40;
  EXPECT_EQ(plan_fusions(rows).runs.size(), 0u);
}

TEST(KernelFusionTest, runs_of_the_same_names_are_a_group_and_most_saved_comes_first) {
  const FusionPlan plan =
      plan_fusions(std::vector{row('e', 5), row('n', 6), row('g', 9), row('e', 50), row('s', 60),
                               row('g', 9), row('e', 7), row('n', 8)});
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[0].families, "elementwise/softmax");
  EXPECT_EQ(plan.groups[0].saved_ns, 50);
  EXPECT_EQ(plan.groups[1].families, "elementwise/norm");
  EXPECT_EQ(plan.groups[1].runs, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(plan.groups[1].latency_ns, 5 + 6 + 7 + 8);
  EXPECT_EQ(plan.groups[1].saved_ns, 5 + 7);
  EXPECT_EQ(plan.groups[1].launches_saved(), 2u);
  EXPECT_EQ(plan.latency_ns, 110 + 26);
}

// 2 x (10 + 30) of 200 ns are 40 %, 2 x 10 of them 10 %.
TEST(KernelFusionTest, the_reason_has_its_numbers) {
  std::vector<FusionRow> rows = {row('g', 60), row('e', 10), row('s', 30),
                                 row('g', 60), row('e', 10), row('s', 30)};
  const std::string plain = plan_fusions(rows).groups[0].why;
  EXPECT_EQ(plain,
            "2 x 2 kernels take 80.0 ns (40.0 %); one kernel each saves 2 launches and up to "
            "20.0 ns (10.0 %)");
  for (FusionRow& counted : rows) counted.dram_bytes = 1024 * counted.sample.latency_ns;
  const FusionGroup group = plan_fusions(rows).groups[0];
  EXPECT_EQ(group.why,
            plain +
                "; up to 20.0 KiB of 80.0 KiB of DRAM traffic is results that are written "
                "and read again");
  rows[1].dram_bytes.reset();
  EXPECT_FALSE(plan_fusions(rows).groups[0].saved_bytes);
}

TEST(KernelFusionTest, what_stands_before_attention_is_told_by_it) {
  std::vector<FusionRow> rows;
  for (int layer = 0; layer < 3; ++layer) {
    rows.push_back(row('g', 9));
    for (int i = 0; i < 4; ++i) rows.push_back(row('e', 2));
    rows.push_back(row('k', 2));
    rows.back().family = KernelFamily::kConcat;
    rows.push_back(row('g', 9));
    rows.push_back(row('e', 2));
    rows.push_back(row('s', 2));
    rows.push_back(row('g', 9));
  }
  const FusionPlan plan = plan_fusions(rows);
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[0].chain, ChainKind::kRotaryEmbedding);
  EXPECT_EQ(plan.groups[0].evidence, ChainEvidence::kStructure);
  EXPECT_EQ(plan.groups[1].chain, ChainKind::kAttentionScores);
}

TEST(KernelFusionTest, detailed_names_tell_more) {
  const std::vector<FusionRow> rows = {row('e', 2), row('n', 2)};
  std::vector<std::string_view> details('n' + 1);
  details['e'] = "vectorized_elementwise_kernel[add<f16>, vec8]";
  EXPECT_EQ(plan_fusions(rows, details).groups[0].what, "residual add and norm: add, norm");
  EXPECT_EQ(plan_fusions(rows).groups[0].what, "residual add and norm: elementwise, norm");
}

}  // namespace

}  // namespace strobe::analysis
