#include "strobe/cli/bench_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;

TEST(BenchListAction, a_case_that_loses_by_streaming_has_two_ceilings) {
  const std::string lines = bench_case_lines(100);
  EXPECT_THAT(lines, HasSubstr("norm_chain                         4.50 / 1.80x   6  three times"));
  EXPECT_THAT(lines, HasSubstr("pointwise_chain                           5.50x   4  y = cos x"));
  // A softmax that does not keep its row reads it again, fused or not.
  EXPECT_THAT(lines, HasSubstr("  softmax                                   1.00x   1  exp"));
  EXPECT_THAT(lines, HasSubstr("matmul_add                                    -   2  A B + D"));
}

TEST(BenchListAction, a_long_definition_goes_on_below_itself) {
  EXPECT_THAT(
      bench_case_lines(100),
      HasSubstr("bias_gelu                                11.50x  10  x = inp + bias; x 0.5 "
                "(1 + tanh(0.79788456 x\n" +
                std::string(55, ' ') + "(1 + 0.044715 x x)))\n"));
}

}  // namespace
}  // namespace strobe::cli
