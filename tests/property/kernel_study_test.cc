#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strobe/analysis/headroom/kernel_groups.h"
#include "strobe/compare/kernel_diff.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "tests/property/shared_files.h"
#include "tests/support/kernel_sketch.h"

// Two real lists of kernels, compared with every number that was computed for them elsewhere.
namespace strobe {
namespace {

using analysis::group_kernels;
using analysis::KernelGrouping;
using analysis::KernelStudy;
using analysis::KernelSums;
using ::testing::HasSubstr;

const std::filesystem::path kClassic = kShared / "data" / "kernels_a100_gpt.txt";
const std::filesystem::path kExpectedStudy = kShared / "data" / "kernels_a100_gpt.expected.json";
const std::filesystem::path kWide = kShared / "traces" / "h200_gpt_ncu_raw.csv.gz";

// All leaves of a JSON text by their path: "/totals/launches".
using Leaf = std::variant<double, std::string>;
using Leaves = std::map<std::string, Leaf>;

void collect(const simdjson::dom::element& element, const std::string& way, Leaves& leaves) {
  if (element.is_object()) {
    for (const auto& [key, value] : simdjson::dom::object(element)) {
      collect(value, way + "/" + std::string(key), leaves);
    }
  } else if (element.is_array()) {
    std::size_t i = 0;
    for (const simdjson::dom::element value : simdjson::dom::array(element)) {
      collect(value, way + "/" + std::to_string(i++), leaves);
    }
  } else if (element.is_string()) {
    leaves[way] = std::string(std::string_view(element));
  } else {
    leaves[way] = double(element);
  }
}

Leaves expected_leaves() {
  simdjson::dom::parser parser;
  Leaves leaves;
  collect(parser.load(kExpectedStudy.string()), "", leaves);
  return leaves;
}

// The same leaves from a study.
class Told {
 public:
  explicit Told(const KernelStudy& study) : study_(study) {
    tell_table();
    tell_sums("/totals", study.totals);
    tell_groups("/families", KernelGrouping::kFamily);
    tell_groups("/names", KernelGrouping::kName);
    tell_groups("/classes", KernelGrouping::kBound);
    tell_sums("/short_kernels/under_10us", study.under_10us);
    tell_sums("/short_kernels/under_20us", study.under_20us);
    tell_structure();
    tell_positions();
    tell_fusion();
    leaves["/rules/class_thresholds_pct/bound"] = analysis::kBoundPercent;
    leaves["/rules/class_thresholds_pct/leaning"] = analysis::kLeaningPercent;
  }

  Leaves leaves;

 private:
  void tell(const std::string& way, auto value) { leaves[way] = static_cast<double>(value); }

  void tell_table() {
    std::ifstream file(kClassic);
    std::string line;
    std::getline(file, line);
    leaves["/table/header"] = line;
    tell("/table/line_width", line.size());
    tell("/table/rows", study_.table->size());
    std::getline(file, line);
    tell("/table/separator_column", line.find('|'));
    tell("/table/name_width", line.find('|'));
  }

  void tell_shares(const std::string& way, const KernelSums& sums) {
    tell(way + "/launches", sums.launches);
    tell(way + "/latency_ns", sums.latency_ns);
    tell(way + "/share_pct", 100 * sums.share_of(study_.totals));
    tell(way + "/tensor_weighted_pct", sums.tensor_percent().value());
    tell(way + "/dram_weighted_pct", sums.dram_percent().value());
    tell(way + "/headroom_ns_x100", sums.headroom_ns_percent);
    tell(way + "/headroom_share_pct", 100 * sums.headroom_share_of(study_.totals).value());
  }

  void tell_sums(const std::string& way, const KernelSums& sums) {
    tell_shares(way, sums);
    tell(way + "/tensor_ns_x100", sums.tensor_ns_percent);
    tell(way + "/dram_ns_x100", sums.dram_ns_percent);
    tell(way + "/min_ns", sums.least_ns);
    tell(way + "/max_ns", sums.most_ns);
    tell(way + "/mean_ns", sums.mean_ns());
  }

  void tell_groups(const std::string& way, KernelGrouping grouping) {
    for (const auto& group : group_kernels(study_, grouping)) {
      tell_sums(way + "/" + group.name, group.sums);
    }
  }

  void tell_structure() {
    const analysis::KernelLayers& layers = *study_.layers;
    tell("/structure/prologue_rows", layers.prologue_rows);
    tell("/structure/layers", layers.layers);
    tell("/structure/rows_per_layer", layers.rows_per_layer);
    tell("/structure/epilogue_rows", layers.epilogue_rows);
    tell("/structure/prologue_ns", layers.prologue.latency_ns);
    tell("/structure/layers_ns", layers.inside.latency_ns);
    tell("/structure/epilogue_ns", layers.epilogue.latency_ns);
    KernelSums each;
    for (std::size_t i = 0; i < layers.layer_ns.size(); ++i) {
      tell("/structure/layer_ns/" + std::to_string(i), layers.layer_ns[i]);
      each.add(analysis::KernelSample{layers.layer_ns[i], {}, {}});
    }
    tell("/structure/layer_ns_min", each.least_ns);
    tell("/structure/layer_ns_max", each.most_ns);
    tell("/structure/layer_ns_mean", each.mean_ns());
  }

  void tell_positions() {
    for (const auto& group :
         group_kernels(study_, KernelGrouping::kPosition, analysis::KernelNameForm::kClassic)) {
      if (!group.index) continue;
      const std::string way = "/layer_positions/" + std::to_string(*group.index);
      tell(way + "/position", *group.index);
      leaves[way + "/name"] = group.name;
      leaves[way + "/family"] = group.family;
      tell_shares(way, group.sums);
    }
  }

  void tell_fusion() {
    const analysis::FusionPlan& plan = study_.fusion;
    tell("/fusion_runs/runs", plan.runs.size());
    tell("/fusion_runs/rows", plan.rows);
    tell("/fusion_runs/latency_ns", plan.latency_ns);
    tell("/fusion_runs/saved_ns_if_fused", plan.saved_ns);
    tell("/fusion_runs/saved_share_pct",
         100 * static_cast<double>(plan.saved_ns) / static_cast<double>(study_.totals.latency_ns));
    std::map<std::size_t, const analysis::FusionGroup*> by_first_run;
    for (const analysis::FusionGroup& group : plan.groups) by_first_run[group.runs[0]] = &group;
    std::size_t i = 0;
    for (const auto& [run, group] : by_first_run) {
      const std::string way = "/fusion_runs/groups/" + std::to_string(i++);
      tell(way + "/length", group->names.size());
      leaves[way + "/families"] = group->families;
      tell(way + "/occurrences", group->runs.size());
      tell(way + "/latency_ns", group->latency_ns);
      tell(way + "/saved_ns_if_fused", group->saved_ns);
    }
  }

  const KernelStudy& study_;
};

bool is_prose(std::string_view way) {
  return way == "/source" || way == "/fusion_runs/rule" ||
         (way.starts_with("/rules/") && !way.starts_with("/rules/class_thresholds_pct"));
}

// Shares were written with four decimals, means with three, everything else whole.
double allowance(std::string_view way) {
  if (way.ends_with("_pct")) return 0.5001e-4;
  return way.ends_with("mean_ns") || way.ends_with("_mean") ? 0.5001e-3 : 0;
}

class KernelStudyTest : public ::testing::Test {
 protected:
  void read(const std::filesystem::path& path) {
    STROBE_NEEDS_SHARED();
    auto table_read = readers::read_kernels(path);
    ASSERT_TRUE(table_read) << table_read.error().what;
    table_ = std::move(*table_read);
    study_ = analysis::study_kernels(table_);
  }

  KernelTable table_;
  KernelStudy study_;
};

TEST_F(KernelStudyTest, every_number_of_the_reference_is_reproduced) {
  read(kClassic);
  if (IsSkipped()) return;
  ASSERT_TRUE(study_.layers);
  const Leaves told = Told(study_).leaves;
  std::size_t numbers = 0;
  for (const auto& [way, leaf] : expected_leaves()) {
    if (is_prose(way)) continue;
    const auto found = told.find(way);
    ASSERT_NE(found, told.end()) << way;
    ASSERT_EQ(found->second.index(), leaf.index()) << way;
    if (const double* number = std::get_if<double>(&leaf)) {
      EXPECT_LE(std::abs(std::get<double>(found->second) - *number), allowance(way))
          << way << ": " << std::get<double>(found->second) << " instead of " << *number;
      ++numbers;
    } else {
      EXPECT_EQ(std::get<std::string>(found->second), std::get<std::string>(leaf)) << way;
    }
  }
  EXPECT_GT(numbers, 700u);
  // strobe must not find anything that the reference lacks: a sixteenth name, a sixth class.
  const Leaves expected = expected_leaves();
  for (const auto& [way, leaf] : told) EXPECT_TRUE(expected.contains(way)) << way;
}

// 1 : 4.0 : 4.0 : 24.8 : 0.25 : 0.50, to the digits that were written.
TEST_F(KernelStudyTest, work_units_tell_the_shapes_of_the_model) {
  read(kClassic);
  if (IsSkipped()) return;
  std::map<std::string, double> relative;
  for (const analysis::WorkUnit& unit : study_.work_units) {
    relative[study_.identities[unit.identity].full] = unit.relative;
  }
  ASSERT_EQ(relative.size(), 6u);
  EXPECT_EQ(relative.at("ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2..."), 1);
  EXPECT_NEAR(relative.at("ampere_fp16_s16816gemm_fp16_128x128_ldg8_relu_f..."), 4.0, 0.05);
  EXPECT_NEAR(relative.at("ampere_fp16_s16816gemm_fp16_256x64_ldg8_relu_f2..."), 4.0, 0.05);
  EXPECT_NEAR(relative.at("ampere_fp16_s16816gemm_fp16_256x128_ldg8_relu_f..."), 24.85, 0.05);
  EXPECT_NEAR(relative.at("ampere_fp16_s16816gemm_fp16_64x128_sliced1x2_ld..."), 0.25, 0.005);
  EXPECT_NEAR(relative.at("Kernel"), 0.50, 0.005);
}

TEST_F(KernelStudyTest, the_first_advice_is_what_a_good_engineer_would_give) {
  read(kClassic);
  if (IsSkipped()) return;
  ASSERT_GE(study_.findings.size(), 4u);
  const auto expect = [&](std::size_t i, std::string_view code, std::string_view number) {
    EXPECT_EQ(study_.findings[i].code, code);
    EXPECT_THAT(study_.findings[i].headline, HasSubstr(std::string(number)));
  };
  expect(0, "fuse_attention", "24.5 % of the time");
  expect(1, "fuse_rotary", "16.0 % of the time");
  expect(2, "fuse_activation", "9.7 % of the time");
  expect(3, "merge_products", "12.3 % with all 96 launches");
}

// No advice counts the headroom or the saving of a launch that another one has counted: together
// they cannot save more than exists.
TEST_F(KernelStudyTest, all_advice_together_saves_less_than_everything) {
  for (const auto& path : {kClassic, kWide}) {
    read(path);
    if (IsSkipped()) return;
    double saved_ns = 0;
    for (const analysis::FindingBasis& basis : study_.bases) saved_ns += basis.saved_ns;
    EXPECT_LT(saved_ns, static_cast<double>(study_.totals.latency_ns));
  }
}

TEST_F(KernelStudyTest, a_wide_list_has_its_totals_and_its_layers) {
  read(kWide);
  if (IsSkipped()) return;
  EXPECT_EQ(table_.size(), 606u);
  EXPECT_EQ(study_.totals.latency_ns, 6'657'984);
  EXPECT_NEAR(study_.totals.tensor_percent().value(), 13.86, 0.005);
  EXPECT_NEAR(study_.totals.dram_percent().value(), 27.32, 0.005);
  ASSERT_TRUE(study_.layers);
  EXPECT_EQ(study_.layers->prologue_rows, 4u);
  EXPECT_EQ(study_.layers->layers, 24u);
  EXPECT_EQ(study_.layers->rows_per_layer, 25u);
  EXPECT_EQ(study_.layers->epilogue_rows, 2u);
}

TEST_F(KernelStudyTest, the_chains_of_a_wide_list_are_told_by_their_names) {
  read(kWide);
  if (IsSkipped()) return;
  std::map<analysis::ChainKind, std::size_t> runs;
  for (const analysis::FusionGroup& group : study_.fusion.groups) {
    runs[group.chain] += group.runs.size();
    if (group.chain == analysis::ChainKind::kActivation) {
      EXPECT_THAT(group.what, HasSubstr("tanh-GELU"));
      EXPECT_EQ(group.evidence, analysis::ChainEvidence::kNames);
    }
  }
  EXPECT_EQ(runs[analysis::ChainKind::kAttentionScores], 24u);
  EXPECT_EQ(runs[analysis::ChainKind::kActivation], 24u);
  EXPECT_EQ(runs[analysis::ChainKind::kResidualNorm], 48u);
}

TEST_F(KernelStudyTest, accounts_balance_in_every_grouping) {
  for (const auto& path : {kClassic, kWide}) {
    read(path);
    if (IsSkipped()) return;
    for (const KernelGrouping grouping :
         {KernelGrouping::kName, KernelGrouping::kFamily, KernelGrouping::kBound,
          KernelGrouping::kShape, KernelGrouping::kPosition, KernelGrouping::kLayer}) {
      KernelSums sums;
      for (const auto& group : group_kernels(study_, grouping)) sums.add(group.sums);
      EXPECT_EQ(sums.launches, study_.totals.launches);
      EXPECT_EQ(sums.latency_ns, study_.totals.latency_ns);
    }
  }
}

KernelTable launches_of(const KernelTable& table, std::size_t begin, std::size_t end) {
  KernelSketch sketch;
  for (std::size_t row = begin; row < end; ++row) {
    sketch.launch(table.name(row), table.durations_ns[row],
                  table.value(KernelMetric::kTensorPercent, row),
                  table.value(KernelMetric::kDramPercent, row));
  }
  return sketch.table();
}

// The same work twice, measured by the same counters: differences are noise. One kernel made 3 %
// slower must be found, whatever others of its name do.
TEST_F(KernelStudyTest, one_half_of_the_layers_is_like_the_other_until_a_kernel_changes) {
  read(kClassic);
  if (IsSkipped()) return;
  ASSERT_TRUE(study_.layers);
  const std::size_t middle = study_.layers->first_row_of(12);
  const KernelTable first = launches_of(table_, study_.layers->first_row_of(0), middle);
  KernelTable second = launches_of(table_, middle, study_.layers->first_row_of(24));
  const KernelStudy first_study = analysis::study_kernels(first);
  const compare::KernelDiff same =
      compare::diff_kernels(first_study, analysis::study_kernels(second));
  EXPECT_EQ(same.count(compare::KernelChange::kSame), same.rows.size());

  for (std::size_t row = 0; row < second.size(); ++row) {
    if (second.name(row) == "elementwise_kernel")
      second.durations_ns[row] += second.durations_ns[row] * 3 / 100;
  }
  const compare::KernelDiff slower =
      compare::diff_kernels(first_study, analysis::study_kernels(second));
  EXPECT_EQ(slower.count(compare::KernelChange::kSlower), 1u);
  EXPECT_EQ(slower.rows.front().name, "elementwise_kernel");
  EXPECT_EQ(slower.rows.front().change, compare::KernelChange::kSlower);
}

TEST_F(KernelStudyTest, a_list_compared_with_itself_has_not_changed) {
  for (const auto& path : {kClassic, kWide}) {
    read(path);
    if (IsSkipped()) return;
    const compare::KernelDiff diff = compare::diff_kernels(study_, study_);
    EXPECT_EQ(diff.count(compare::KernelChange::kSame), diff.rows.size());
    EXPECT_TRUE(diff.warnings.empty());
  }
}

}  // namespace
}  // namespace strobe
