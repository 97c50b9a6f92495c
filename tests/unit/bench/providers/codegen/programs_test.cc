#include "strobe/bench/providers/codegen/programs.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "strobe/bench/grid.h"
#include "tests/unit/bench/providers/codegen/chips.h"

namespace strobe::bench {
namespace {

std::vector<KernelProgram> candidates(const char* id, std::int64_t rows, std::int64_t columns,
                                      DType dtype = DType::kF32, const ChipFacts& chip = h200()) {
  auto programs = fused_candidates(*find_case(id), {{rows, columns}}, dtype, chip);
  EXPECT_TRUE(programs.has_value());
  return programs ? std::move(*programs) : std::vector<KernelProgram>{};
}

void expect_launchable(const KernelProgram& program, const ChipFacts& chip) {
  for (const GeneratedKernel& kernel : program.kernels) {
    EXPECT_EQ(kernel.name.rfind("strobe_", 0), 0u);
    EXPECT_NE(kernel.source.find(kernel.name + "("), std::string::npos);
    EXPECT_EQ(kernel.source.find("#include"), std::string::npos);
    EXPECT_LE(kernel.block[0], 1024u);
    EXPECT_GT(kernel.grid[0], 0u);
    EXPECT_LT(kernel.grid[0], 1u << 31);
    EXPECT_GT(kernel.grid[1], 0u);
    EXPECT_LE(kernel.grid[1], 65535u);
    EXPECT_EQ(kernel.grid[0] % kernel.cluster, 0u);
    EXPECT_LE(kernel.shared_bytes, chip.shared_per_block) << kernel.name;
    if (!chip.has_clusters()) {
      EXPECT_EQ(kernel.cluster, 1u);
    }
  }
}

TEST(Programs, every_shape_of_the_grids_has_candidates_that_can_be_launched) {
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    for (const char* grid : {"quick", "odd"}) {
      const auto shapes = grid_shapes(grid, info.kind);
      ASSERT_TRUE(shapes.has_value());
      for (const Shape& shape : *shapes) {
        for (const DType dtype : {DType::kF32, DType::kF16}) {
          for (const ChipFacts& chip : {h200(), rtx3090()}) {
            const auto programs = fused_candidates(info, shape, dtype, chip);
            ASSERT_TRUE(programs.has_value()) << info.id << " " << shape_text(shape);
            EXPECT_LE(programs->size(), kMostCandidates);
            std::set<std::string> labels;
            for (const KernelProgram& program : *programs) {
              EXPECT_EQ(program.kernels.size(), 1u);
              EXPECT_TRUE(program.between.empty());
              EXPECT_TRUE(labels.insert(program.label).second) << program.label;
              expect_launchable(program, chip);
            }
          }
        }
      }
    }
  }
}

TEST(Programs, tiles_beyond_the_second_axis_of_a_grid_go_along_the_first) {
  for (const auto& [rows, columns] : {std::pair(16, 1 << 22), std::pair(1 << 22, 16)}) {
    for (const KernelProgram& program : candidates("bias_dropout_add_transposed", rows, columns)) {
      expect_launchable(program, h200());
      const GeneratedKernel& kernel = program.kernels.front();
      EXPECT_GT(kernel.grid[0], 65535u / 2) << program.label;
    }
  }
}

TEST(Programs, a_row_that_stays_on_the_chip_moves_the_least_bytes) {
  for (const char* id :
       {"softmax", "double_softmax", "norm_chain", "softmax_backward", "layernorm"}) {
    const CaseCosts costs = costs_of(*find_case(id), {{4096, 4096}}, DType::kF32);
    EXPECT_DOUBLE_EQ(candidates(id, 4096, 4096).front().moved_bytes, costs.min_bytes) << id;
  }
}

TEST(Programs, a_row_that_no_chip_holds_moves_what_streaming_moves) {
  for (const char* id : {"softmax", "layernorm", "softmax_backward"}) {
    const Shape shape = {{4, 4000000}};
    const CaseCosts costs = costs_of(*find_case(id), shape, DType::kF32);
    const auto programs = candidates(id, 4, 4000000);
    EXPECT_EQ(programs.front().label.rfind("row-stream", 0), 0u);
    EXPECT_DOUBLE_EQ(programs.front().moved_bytes, costs.streamed_bytes) << id;
  }
}

TEST(Programs, long_rows_go_to_clusters_first_where_the_chip_has_them) {
  EXPECT_EQ(candidates("softmax", 16384, 65536).front().kernels.front().cluster, 2u);
  EXPECT_EQ(candidates("softmax", 16384, 4096).front().label.rfind("row-registers", 0), 0u);
}

TEST(Programs, long_rows_beside_values_of_columns_stay_in_as_many_clusters_as_there_are) {
  const GeneratedKernel kernel = candidates("layernorm", 16384, 65536).front().kernels.front();
  EXPECT_TRUE(kernel.stays);
  EXPECT_EQ(kernel.cluster, 8u);
  EXPECT_EQ(kernel.grid[0], 2u * 132u / 8u * 8u);
  EXPECT_FALSE(candidates("softmax", 16384, 65536).front().kernels.front().stays);
}

TEST(Programs, operators_apart_are_the_eager_kernels_with_what_lies_between) {
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    const auto program = unfused_program(info, {{1024, 1024}}, DType::kF32, h200());
    ASSERT_TRUE(program.has_value());
    EXPECT_EQ(program->kernels.size(), static_cast<std::size_t>(info.eager_kernels)) << info.id;
    expect_launchable(*program, h200());
    std::set<std::string> names;
    for (const GeneratedKernel& kernel : program->kernels)
      EXPECT_TRUE(names.insert(kernel.name).second);
    const CaseCosts costs = costs_of(info, {{1024, 1024}}, DType::kF32);
    // The cost table also counts two statistics per row that an eager layernorm saves for later,
    // and reads an operand of the eager softmax_backward twice, which the row in registers does
    // not.
    const double saved = info.id == "layernorm"          ? 2 * 1024 * 4
                         : info.id == "softmax_backward" ? 1024 * 1024 * 4
                                                         : 0;
    EXPECT_NEAR(program->moved_bytes + saved, costs.unfused_bytes, 1e-3 * costs.unfused_bytes)
        << info.id;
  }
}

TEST(Programs, beyond_two_billion_elements_places_are_64_bit) {
  const KernelProgram odd = candidates("pointwise_chain", 65537, 65537).front();
  EXPECT_NE(odd.kernels.front().source.find("long long elements"), std::string::npos);
  const KernelProgram columns = candidates("bias_gelu", 65537, 65537).front();
  EXPECT_NE(columns.kernels.front().source.find("const long long packets"), std::string::npos);
}

TEST(Programs, what_drops_elements_takes_the_key_of_the_seed) {
  using Kind = KernelArgument::Kind;
  const auto takes_key = [](const GeneratedKernel& kernel) {
    const bool has_parameter =
        kernel.source.find("const unsigned dropout_key)") != std::string::npos;
    EXPECT_EQ(has_parameter, kernel.arguments.back().kind == Kind::kDropoutKey) << kernel.name;
    return has_parameter;
  };
  for (const char* id : {"bias_dropout_add_train", "bias_dropout_add_transposed_train"}) {
    for (const KernelProgram& program : candidates(id, 1024, 1024))
      EXPECT_TRUE(takes_key(program.kernels.front())) << program.label;
    const auto apart = unfused_program(*find_case(id), {{1024, 1024}}, DType::kF32, h200());
    ASSERT_TRUE(apart.has_value());
    ASSERT_EQ(apart->kernels.size(), 3u);
    EXPECT_FALSE(takes_key(apart->kernels[0]));
    EXPECT_TRUE(takes_key(apart->kernels[1]));
    EXPECT_FALSE(takes_key(apart->kernels[2]));
  }
  EXPECT_FALSE(takes_key(candidates("bias_dropout_add", 1024, 1024).front().kernels.front()));
}

TEST(Programs, what_is_no_case_over_rows_is_refused) {
  const auto matmul =
      fused_candidates(*find_case("matmul_add"), {{64, 64, 64}}, DType::kF32, h200());
  ASSERT_FALSE(matmul.has_value());
  EXPECT_EQ(matmul.error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(unfused_program(*find_case("softmax"), {{64}}, DType::kF32, h200()).has_value());
}

}  // namespace
}  // namespace strobe::bench
