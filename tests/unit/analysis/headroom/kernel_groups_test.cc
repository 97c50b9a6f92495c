#include "strobe/analysis/headroom/kernel_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/kernel_sketch.h"

namespace strobe::analysis {
namespace {

KernelTable three_layers() {
  KernelSketch sketch;
  sketch.launch("indexSelectLargeIndex", 7'000, 0, 0).shape(1, 32);
  for (int layer = 0; layer < 3; ++layer) {
    sketch.launch("vectorized_layer_norm_kernel", 10'000, 1, 7).shape(4, 64);
    sketch.launch("some_gemm", 60'000, 65, 8).shape(8, 128);
    sketch.launch("some_gemm", 30'000, 40, 8).shape(16, 128);
    sketch.launch("elementwise_kernel", 15'000, 0, 35).shape(32, 128);
  }
  sketch.launch("last_gemm", 5'000, 80, 9).shape(8, 128);
  return sketch.table();
}

std::vector<std::string> names_of(const std::vector<KernelGroup>& groups) {
  std::vector<std::string> names;
  for (const KernelGroup& group : groups) names.push_back(group.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(KernelGroupsTest, names_families_bounds_and_shapes_are_groups) {
  const KernelTable table = three_layers();
  const KernelStudy study = study_kernels(table);
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kName)),
            (Names{"some_gemm", "elementwise_kernel", "vectorized_layer_norm_kernel",
                   "indexSelectLargeIndex", "last_gemm"}));
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kFamily)),
            (Names{"gemm", "elementwise", "norm", "gather"}));
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kBound)),
            (Names{"tensor-bound", "tensor-leaning", "dram-leaning", "latency-bound"}));
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kShape))[0],
            "some_gemm (8, 1, 1) x (128, 1, 1)");
}

TEST(KernelGroupsTest, positions_and_layers_know_their_number) {
  const KernelTable table = three_layers();
  const KernelStudy study = study_kernels(table);
  const auto positions =
      group_kernels(study, KernelGrouping::kPosition, KernelNameForm::kDetail, KernelOrder::kName);
  EXPECT_EQ(names_of(positions), (Names{"prologue", "vectorized_layer_norm_kernel", "some_gemm",
                                        "some_gemm", "elementwise_kernel", "epilogue"}));
  EXPECT_FALSE(positions[0].index);
  EXPECT_EQ(positions[3].index, 2u);
  EXPECT_EQ(positions[3].sums.launches, 3u);
  const auto layers =
      group_kernels(study, KernelGrouping::kLayer, KernelNameForm::kDetail, KernelOrder::kName);
  EXPECT_EQ(names_of(layers), (Names{"prologue", "layer 0", "layer 1", "layer 2", "epilogue"}));
  EXPECT_EQ(layers[2].index, 1u);
  EXPECT_EQ(layers[2].first_row, 5u);
}

TEST(KernelGroupsTest, a_list_without_layers_is_one_group) {
  const KernelTable table = KernelSketch().launch("a", 5).launch("b", 5).table();
  const KernelStudy study = study_kernels(table);
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kLayer)), Names{"all kernels"});
  EXPECT_EQ(names_of(group_kernels(study, KernelGrouping::kPosition)), Names{"all kernels"});
}

TEST(KernelGroupsTest, groups_come_in_the_order_asked_for) {
  const KernelTable table =
      KernelSketch().launch("b", 100, 90, 0).launch("a", 30, 10, 0).launch("a", 30, 10, 0).table();
  const KernelStudy study = study_kernels(table);
  const auto order = [&](KernelOrder by) {
    return names_of(group_kernels(study, KernelGrouping::kName, KernelNameForm::kDetail, by));
  };
  EXPECT_EQ(order(KernelOrder::kTime), (Names{"b", "a"}));
  EXPECT_EQ(order(KernelOrder::kHeadroom), (Names{"a", "b"}));  // 54 against 10 ns
  EXPECT_EQ(order(KernelOrder::kCount), (Names{"a", "b"}));
  EXPECT_EQ(order(KernelOrder::kName), (Names{"a", "b"}));
}

TEST(KernelGroupsTest, names_are_in_the_form_asked_for) {
  const KernelTable table = KernelSketch()
                                .launch("void at::native::softmax_warp_forward<float, 10>(int)", 5)
                                .launch("void at::native::softmax_warp_forward<float, 11>(int)", 5)
                                .table();
  const KernelStudy study = study_kernels(table);
  const auto groups = [&](KernelNameForm form) {
    return group_kernels(study, KernelGrouping::kName, form);
  };
  EXPECT_EQ(names_of(groups(KernelNameForm::kClassic)), Names{"softmax_warp_forward"});
  EXPECT_EQ(names_of(groups(KernelNameForm::kShort)), Names{"softmax_warp_forward"});
  EXPECT_EQ(groups(KernelNameForm::kFull).size(), 2u);
  EXPECT_EQ(groups(KernelNameForm::kMangled)[0].name,
            "void at::native::softmax_warp_forward<float, 10>(int)");
}

TEST(KernelGroupsTest, a_group_of_several_families_has_none) {
  const KernelTable table = three_layers();
  const KernelStudy study = study_kernels(table);
  const auto bounds = group_kernels(study, KernelGrouping::kBound);
  EXPECT_EQ(bounds[0].family, "gemm");
  EXPECT_EQ(bounds[3].family, "");  // norm and gather
}

TEST(KernelGroupsTest, accounts_balance_whatever_the_grouping) {
  const KernelTable table = three_layers();
  const KernelStudy study = study_kernels(table);
  for (const KernelGrouping grouping :
       {KernelGrouping::kName, KernelGrouping::kFamily, KernelGrouping::kBound,
        KernelGrouping::kShape, KernelGrouping::kPosition, KernelGrouping::kLayer}) {
    KernelSums sums;
    double before = 0;
    const auto groups = group_kernels(study, grouping);
    for (const KernelGroup& group : groups) {
      sums.add(group.sums);
      EXPECT_NEAR(group.cumulative_share - before, group.sums.share_of(study.totals), 1e-12);
      before = group.cumulative_share;
    }
    EXPECT_EQ(sums.launches, study.totals.launches);
    EXPECT_EQ(sums.latency_ns, study.totals.latency_ns);
    EXPECT_EQ(sums.headroom_ns_percent, study.totals.headroom_ns_percent);
    EXPECT_DOUBLE_EQ(groups.back().cumulative_share, 1);
  }
}

}  // namespace
}  // namespace strobe::analysis
