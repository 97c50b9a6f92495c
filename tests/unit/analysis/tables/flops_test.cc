#include "strobe/analysis/tables/flops.h"

#include <gmock/gmock.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;
using ::testing::ElementsAre;
constexpr std::string_view kProduct = R"({"Input Dims": [[4, 8], [8, 16]]})";  // 1024 FLOPs

TEST(FlopsTest, shapes_by_position_stand_for_the_whole_call) {
  const Trace trace = Sketch()
                          .slice("aten::matmul", kOp, 0_us, 10_us)
                          .args(kProduct)
                          .slice("aten::mm", kOp, 1_us, 5_us)
                          .args(kProduct)
                          .trace();
  EXPECT_THAT(estimate_flops(attribute_trace(trace)), ElementsAre(1024u, 1024u, 1024u));
}

TEST(FlopsTest, an_operator_without_a_formula_has_its_childrens) {
  const Trace trace = Sketch()
                          .slice("MmBackward", kOp, 0_us, 20_us)
                          .args(R"({"Input Dims": [[4, 16]]})")
                          .slice("aten::mm", kOp, 1_us, 5_us)
                          .args(kProduct)
                          .slice("aten::mm", kOp, 8_us, 5_us)
                          .args(kProduct)
                          .trace();
  EXPECT_EQ(estimate_flops(attribute_trace(trace))[1], 2048u);
}

TEST(FlopsTest, shapes_by_name_add_to_the_childrens) {
  constexpr std::string_view kNamed = R"({"input_shapes": {"X": [[4, 8]], "Y": [[8, 16]]}})";
  const Trace trace = Sketch()
                          .slice("matmul dygraph", kOp, 0_us, 20_us)
                          .args(kNamed)
                          .slice("matmul", kOp, 1_us, 5_us)
                          .args(kNamed)
                          .trace();
  EXPECT_EQ(estimate_flops(attribute_trace(trace))[1], 2048u);
}

TEST(FlopsTest, equal_shapes_with_other_plain_inputs_are_counted_apart) {
  // Stride 1 has 9 positions, stride 2 has 4 (a 5 x 5 input and a 3 x 3 filter).
  const auto args = [](const std::string& stride) {
    return R"({"Input Dims": [[1, 1, 5, 5], [1, 1, 3, 3], [], [], [], [], []], )"
           R"("Concrete Inputs": ["", "", "", ")" +
           stride + R"(", "[0, 0]", "[1, 1]", "1"]})";
  };
  const Trace trace = Sketch()
                          .slice("aten::conv2d", kOp, 0_us, 1_us)
                          .args(args("[1, 1]"))
                          .slice("aten::conv2d", kOp, 2_us, 1_us)
                          .args(args("[2, 2]"))
                          .trace();
  EXPECT_THAT(estimate_flops(attribute_trace(trace)), ElementsAre(18u * (9 + 4), 18u * 9, 18u * 4));
}

TEST(FlopsTest, without_arguments_or_shapes_nothing_is_known) {
  const Trace bare = Sketch().slice("aten::mm", kOp, 0_us, 1_us).trace();
  EXPECT_TRUE(estimate_flops(attribute_trace(bare)).empty());
  Sketch many;
  for (int i = 0; i < 100; ++i) {
    many.slice("aten::mm", kOp, 10_us * i, 1_us).args(R"({"External id": 1})");
  }
  const Trace unrecorded = many.trace();
  EXPECT_TRUE(estimate_flops(attribute_trace(unrecorded)).empty());
}

}  // namespace
}  // namespace strobe::analysis
