#include "strobe/bench/providers/cuda/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_cublaslt.h"

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;
using Layout = ScriptedCublasLt::Layout;

const LtHandle kHandle = reinterpret_cast<LtHandle>(1);

class GemmTest : public ::testing::Test {
 protected:
  Result<Gemm> make(const GemmProblem& problem) { return Gemm::make(api_, kHandle, problem, 4096); }

  ScriptedDriver driver_;
  ScriptedCublasLt library_{driver_.api()};
  CublasLtApi api_ = library_.api();
};

// out[2,3] = left[2,5] right[5,3], row by row; in columns out^T[3,2] = right^T[3,5] left^T[5,2].
TEST_F(GemmTest, rows_become_columns_by_changing_sides) {
  const auto gemm = make({.m = 2, .n = 3, .k = 5, .dtype = DType::kBf16});
  ASSERT_TRUE(gemm) << gemm.error().what;
  ASSERT_TRUE(gemm->enqueue(0, {.left = 16, .right = 32, .out = 48}, nullptr));
  const ScriptedCublasLt::Product& product = library_.products.at(0);
  EXPECT_EQ(product.a, (Layout{lt::kR16BF, 3, 5, 3}));
  EXPECT_EQ(product.b, (Layout{lt::kR16BF, 5, 2, 5}));
  EXPECT_EQ(product.d, (Layout{lt::kR16BF, 3, 2, 3}));
  EXPECT_EQ(product.at_a, reinterpret_cast<void*>(32));
  EXPECT_EQ(product.at_b, reinterpret_cast<void*>(16));
  EXPECT_EQ(product.at_d, reinterpret_cast<void*>(48));
  EXPECT_EQ(product.compute, lt::kCompute32F);
  EXPECT_EQ(product.epilogue, lt::kEpilogueDefault);
  EXPECT_EQ(product.beta, 0);
}

TEST_F(GemmTest, what_is_added_is_read_from_its_own_place) {
  const auto gemm = make({.m = 2, .n = 3, .k = 5, .adds = true, .has_relu = true});
  ASSERT_TRUE(gemm);
  ASSERT_TRUE(gemm->enqueue(0, {.left = 16, .right = 32, .added = 64, .out = 48}, nullptr));
  const ScriptedCublasLt::Product& product = library_.products.at(0);
  EXPECT_EQ(product.at_c, reinterpret_cast<void*>(64));
  EXPECT_EQ(product.at_d, reinterpret_cast<void*>(48));
  EXPECT_EQ(product.alpha, 1);
  EXPECT_EQ(product.beta, 1);
  EXPECT_EQ(product.epilogue, lt::kEpilogueRelu);
}

TEST_F(GemmTest, a_transposed_right_side_and_a_batch_keep_their_strides) {
  const auto gemm = make({.m = 4, .n = 6, .k = 8, .batch = 3, .is_right_transposed = true});
  ASSERT_TRUE(gemm);
  ASSERT_TRUE(gemm->enqueue(0, {}, nullptr));
  const ScriptedCublasLt::Product& product = library_.products.at(0);
  EXPECT_EQ(product.transposed_a, lt::kOperationTransposed);
  EXPECT_EQ(product.a, (Layout{lt::kR32F, 8, 6, 8, 3, 48}));
  EXPECT_EQ(product.b, (Layout{lt::kR32F, 8, 4, 8, 3, 32}));
  EXPECT_EQ(product.d, (Layout{lt::kR32F, 6, 4, 6, 3, 24}));
}

TEST_F(GemmTest, f32_is_computed_in_f32) {
  ASSERT_TRUE(make({.m = 2, .n = 3, .k = 5})->enqueue(0, {}, nullptr));
  EXPECT_EQ(library_.products.at(0).compute, lt::kCompute32F);
}

TEST_F(GemmTest, every_proposal_that_is_well_can_be_run_with_its_own_workspace) {
  library_.proposals = ScriptedCublasLt::proposed({7, 8, 9});
  library_.proposals[1].state = lt::kNotSupported;
  const auto gemm = make({.m = 2, .n = 3, .k = 5});
  ASSERT_TRUE(gemm);
  EXPECT_EQ(library_.most_workspace_bytes, 4096u);
  ASSERT_EQ(gemm->algorithms(), 2u);
  EXPECT_EQ(gemm->workspace_bytes(), 9u * 1024);
  ASSERT_TRUE(gemm->enqueue(1, {}, nullptr));
  EXPECT_EQ(library_.products.at(0).algorithm, 9u);
  EXPECT_EQ(library_.products.at(0).workspace_bytes, 9u * 1024);
  EXPECT_EQ(gemm->algorithm_text(1), "algorithm 9 tile 0 stages 0 split-k 0 cluster 0, 2 of 2");
}

TEST_F(GemmTest, no_proposal_is_said_plainly_and_a_refusal_in_the_librarys_words) {
  library_.proposals = {};
  EXPECT_EQ(make({.m = 2, .n = 3, .k = 5}).error().code, ErrorCode::kUnsupported);
  library_.heuristics_status = lt::kNotSupported;
  const auto refused = make({.m = 2, .n = 3, .k = 5});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().what, HasSubstr("CUBLAS_STATUS_NOT_SUPPORTED (15: scripted)"));
}

TEST_F(GemmTest, everything_is_given_back) {
  { ASSERT_TRUE(make({.m = 2, .n = 3, .k = 5, .batch = 2})); }
  library_.proposals = {};
  { ASSERT_FALSE(make({.m = 2, .n = 3, .k = 5})); }
  EXPECT_EQ(library_.alive, 0);
}

}  // namespace
}  // namespace strobe::bench
