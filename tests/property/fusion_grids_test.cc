#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/bench/judge/ratio_checks.h"
#include "strobe/bench/results/foreign_tables.h"
#include "strobe/bench/results/ratio_grid.h"
#include "tests/property/shared_files.h"

// Tables of another program on two cards: what strobe reads from them and what it finds in them.
namespace strobe::bench {
namespace {

namespace fs = std::filesystem;

class FusionGrids : public ::testing::Test {
 protected:
  void SetUp() override {
    STROBE_NEEDS_SHARED();
    auto read = parse_ratio_grids(read_text(kGrids).value(), kGrids.string());
    ASSERT_TRUE(read) << read.error().what;
    grids_ = std::move(read).value();
  }

  const RatioGrid& find(std::string_view version, std::string_view device, std::string_view case_id,
                        std::string_view contender) const {
    for (const RatioGrid& grid : grids_.grids) {
      if (grid.version.starts_with(version) && grid.device == device && grid.case_id == case_id &&
          grid.contender == contender && grid.baseline != "triton") {
        return grid;
      }
    }
    ADD_FAILURE() << "no grid " << version << " " << device << " " << case_id;
    return grids_.grids.front();
  }

  static double value_at(const RatioGrid& grid, std::int64_t dim0, std::int64_t dim1) {
    for (const GridCell& cell : grid.cells) {
      if (cell.dim0 == dim0 && cell.dim1 == dim1) return cell.value.value_or(NAN);
    }
    return NAN;
  }

  static double mean(const RatioGrid& grid) { return geometric_mean(grid).value().mean; }

  static std::pair<double, double> extremes(const RatioGrid& grid) {
    std::pair<double, double> ends = {INFINITY, 0};
    for (const GridCell& cell : grid.cells) {
      if (!cell.value) continue;
      ends = {std::min(ends.first, *cell.value), std::max(ends.second, *cell.value)};
    }
    return ends;
  }

  RatioGrids grids_;
};

TEST_F(FusionGrids, every_row_is_read) {
  EXPECT_EQ(grids_.rows, 4664u);
  EXPECT_TRUE(grids_.remarks.empty()) << grids_.remarks.front();
  std::map<std::string, std::size_t> rows;
  std::map<CellStatus, std::size_t> statuses;
  for (const RatioGrid& grid : grids_.grids) {
    rows[grid.version.substr(0, 2) + " " + grid.device] += grid.cells.size();
    for (const GridCell& cell : grid.cells) ++statuses[cell.status];
  }
  const std::map<std::string, std::size_t> expected = {{"v1 RTX3090", 900},
                                                       {"v3 RTX3090", 1052},
                                                       {"v3 A100", 1052},
                                                       {"v3 A100-RTX3090", 1600},
                                                       {"la RTX3090", 60}};
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(statuses[CellStatus::kOk], 4495u);
  EXPECT_EQ(statuses[CellStatus::kMissing], 168u);
  EXPECT_EQ(statuses[CellStatus::kOom], 1u);
}

TEST_F(FusionGrids, the_compiler_that_gave_up_silently_is_found_on_one_card_only) {
  std::size_t alarms = 0;
  for (const RatioGrid& grid : grids_.grids) {
    const auto line = find_flat_line(grid);
    const bool is_inductor = grid.contender == "inductor" && grid.version.starts_with("v3");
    EXPECT_EQ(line.has_value(), is_inductor && grid.device == "A100")
        << grid.version << " " << grid.device << " " << grid.case_id << " " << grid.contender;
    if (!line) continue;
    ++alarms;
    EXPECT_EQ(line->index, 64u) << grid.case_id;
    EXPECT_EQ(grid.cells[line->index].dim0, 8192);
    EXPECT_EQ(grid.cells[line->index].dim1, 2048);
  }
  EXPECT_EQ(alarms, 8u);
}

TEST_F(FusionGrids, the_means_before_and_after_tell_what_was_lost) {
  const auto line = [&](std::string_view case_id) {
    return find_flat_line(find("v3", "A100", case_id, "inductor")).value();
  };
  EXPECT_NEAR(line("pointwise_chain").before_mean, 310.1, 0.05);
  EXPECT_NEAR(line("pointwise_chain").after_mean, 99.98, 0.005);
  EXPECT_NEAR(line("norm_chain").before_mean, 316.95, 0.005);
  EXPECT_NEAR(line("norm_chain").after_mean, 100.03, 0.005);
  EXPECT_NEAR(line("horizontal_reduction_reduction").before_mean, 172.2, 0.05);
  EXPECT_NEAR(line("horizontal_reduction_reduction").after_mean, 100.00, 0.005);
  EXPECT_NEAR(line("softmax").before_mean, 108, 0.5);
  EXPECT_NEAR(line("double_softmax").before_mean, 144, 0.5);
}

TEST_F(FusionGrids, the_tables_fit_together_as_closely_as_they_are_rounded) {
  const std::vector<IdentityCheck> checks = check_identities(grids_);
  ASSERT_EQ(checks.size(), 2u);
  for (const IdentityCheck& check : checks) {
    const bool is_ring = check.law.starts_with("flash2");
    EXPECT_EQ(check.law, is_ring ? "flash2/eager = flash2/triton x triton/eager"
                                 : "G(inductor) = G(eager) P(A100) / P(RTX3090)");
    EXPECT_EQ(check.cells, is_ring ? 143u : 779u);
    EXPECT_NEAR(100 * check.worst, is_ring ? 0.013 : 0.026, 0.0005);
    EXPECT_TRUE(check.violations.empty()) << check.violations.front();
  }
}

TEST_F(FusionGrids, a_single_value_that_is_off_by_one_percent_is_a_violation) {
  for (RatioGrid& grid : grids_.grids) {
    if (grid.device == "A100" && grid.case_id == "softmax") *grid.cells[7].value *= 1.01;
  }
  std::size_t violations = 0;
  for (const IdentityCheck& check : check_identities(grids_)) violations += check.violations.size();
  EXPECT_EQ(violations, 1u);
}

// Statements of the source's own text about its tables.
TEST_F(FusionGrids, means_and_extremes_are_those_the_source_speaks_of) {
  const RatioGrid& chain = find("v3", "RTX3090", "pointwise_chain", "inductor");
  EXPECT_NEAR(mean(chain), 436, 0.5);
  EXPECT_EQ(geometric_mean(chain)->cells, 97u);
  EXPECT_EQ(extremes(chain).second, 546.29);
  EXPECT_EQ(value_at(chain, 32768, 32768), 546.29);
  EXPECT_NEAR(extremes(find("v3", "A100", "pointwise_chain", "inductor")).second, 556.5, 0.05);
  EXPECT_NEAR(value_at(find("v3", "A100", "pointwise_chain", "inductor"), 4096, 65536), 556.5,
              0.05);
  EXPECT_NEAR(extremes(find("v3", "RTX3090", "horizontal_reduction_pointwise", "inductor")).second,
              175, 0.5);
  EXPECT_NEAR(value_at(find("v3", "RTX3090", "norm_chain", "inductor"), 128, 128), 450, 0.5);
  const RatioGrid& softmax = find("v3", "RTX3090", "softmax", "inductor");
  EXPECT_NEAR(mean(softmax), 62, 0.5);
  EXPECT_NEAR(extremes(softmax).first, 14.5, 0.05);
  EXPECT_NEAR(extremes(softmax).second, 125, 0.5);
  EXPECT_NEAR(mean(find("v3", "RTX3090", "layernorm", "inductor")), 107, 0.5);
  EXPECT_NEAR(mean(find("v3", "A100", "layernorm", "inductor")), 108, 0.5);
  EXPECT_NEAR(mean(find("v3", "RTX3090", "softmax_backward", "inductor")), 124, 0.5);
  EXPECT_NEAR(mean(find("v3", "A100", "softmax_backward", "inductor")), 127, 0.5);
}

TEST_F(FusionGrids, attention_and_layouts_are_those_the_source_speaks_of) {
  const auto flash = extremes(find("v3", "RTX3090", "attention_hd64_nh32", "flash2"));
  EXPECT_NEAR(flash.first, 233, 0.5);
  EXPECT_NEAR(flash.second, 1025, 0.6);
  const RatioGrid& large = find("v3", "A100", "attention_hd64_nh32", "flash2");
  EXPECT_NEAR(extremes(large).second, 1778.7, 0.05);
  EXPECT_EQ(value_at(large, 2, 8192), extremes(large).second);
  EXPECT_NEAR(extremes(find("v3", "A100", "attention_hd128_nh16", "flash2")).second, 1090, 0.5);
  const RatioGrid& compiled = find("v3", "RTX3090", "attention_hd64_nh32", "triton");
  EXPECT_NEAR(value_at(compiled, 1, 128), 177, 0.5);
  EXPECT_NEAR(value_at(compiled, 32, 128), 24, 0.5);
  const auto gbps = [&](std::string_view provider, std::int64_t dim0, std::int64_t dim1) {
    return value_at(find("layout", "RTX3090", "bias_dropout_add_transposed", provider), dim0, dim1);
  };
  EXPECT_NEAR(gbps("triton", 65536, 1024), 870.3, 0.05);
  EXPECT_NEAR(gbps("inductor", 65536, 1024), 868.7, 0.05);
  EXPECT_NEAR(gbps("eager", 65536, 1024), 111.1, 0.05);
  EXPECT_NEAR(gbps("eager", 32768, 1024), 268.5, 0.05);
  EXPECT_NEAR(gbps("triton", 65536, 128), 846.8, 0.05);
  EXPECT_NEAR(gbps("eager", 65536, 128), 183.6, 0.05);
}

// The timing method is part of a result: on the same card and the same cells, a third of the
// verdicts changes with it.
TEST_F(FusionGrids, two_ways_of_timing_disagree_in_a_third_of_the_cells) {
  std::size_t shared = 0;
  std::size_t flipped = 0;
  for (const RatioGrid& old : grids_.grids) {
    if (!old.version.starts_with("v1") || old.case_id == "multihead_attention") continue;
    const RatioGrid& now = find("v3", "RTX3090", old.case_id, "inductor");
    for (const GridCell& cell : old.cells) {
      const double after = value_at(now, cell.dim0, cell.dim1);
      if (!cell.value || std::isnan(after)) continue;
      ++shared;
      flipped += (*cell.value < 1) != (after > 100) ? 1 : 0;
    }
  }
  EXPECT_EQ(shared, 774u);
  EXPECT_EQ(flipped, 251u);
}

}  // namespace
}  // namespace strobe::bench
