#include "strobe/record/inject/name_pattern.h"

#include <gtest/gtest.h>

namespace strobe::record {
namespace {

TEST(NamePattern, names_are_matched_as_people_write_them) {
  NamePattern pattern;
  ASSERT_TRUE(pattern.set("copy\\(float4|gemm$"));
  EXPECT_TRUE(pattern.is_set());
  EXPECT_TRUE(pattern.matches("_Z6k_copyPK6float4"));  // k_copy(float4 const*)
  EXPECT_TRUE(pattern.matches("_Z6k_copyPK6float4"));  // from memory
  EXPECT_TRUE(pattern.matches("ampere_gemm"));
  EXPECT_FALSE(pattern.matches("gemm_ampere"));
}

TEST(NamePattern, nothing_is_no_pattern) {
  NamePattern pattern;
  EXPECT_TRUE(pattern.set(""));
  EXPECT_FALSE(pattern.is_set());
}

TEST(NamePattern, what_is_no_expression_is_refused) {
  NamePattern pattern;
  EXPECT_FALSE(pattern.set("gemm("));
  EXPECT_FALSE(pattern.is_set());
}

}  // namespace
}  // namespace strobe::record
