#include "strobe/cli/bench_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;

TEST(BenchListAction, a_case_that_loses_by_streaming_has_two_ceilings) {
  const std::string lines = bench_case_lines();
  EXPECT_THAT(lines, HasSubstr("norm_chain                         4.50 / 1.80x   6  three times"));
  EXPECT_THAT(lines, HasSubstr("pointwise_chain                           5.50x   4  y = cos x"));
  // A softmax that does not keep its row reads it again, fused or not.
  EXPECT_THAT(lines, HasSubstr("  softmax                                   1.00x   1  exp"));
  EXPECT_THAT(lines, HasSubstr("matmul_add                                    -   2  A B + D"));
}

}  // namespace
}  // namespace strobe::cli
