#include "strobe/compare/measure/function_name.h"

#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

TEST(FunctionNameTest, suffixes_of_clones_go) {
  EXPECT_EQ(canonical_name("run.constprop.0"), "run");
  EXPECT_EQ(canonical_name("run.part.3.isra.1"), "run");
  EXPECT_EQ(canonical_name("run.cold"), "run");
  EXPECT_EQ(canonical_name("run(int) [clone .constprop.0]"), "run(int)");
  EXPECT_EQ(canonical_name("run(int) [clone .part.3] [clone .cold]"), "run(int)");
}

TEST(FunctionNameTest, addresses_at_the_end_go) {
  EXPECT_EQ(canonical_name("run+0x1f"), "run");
  EXPECT_EQ(canonical_name("run @ 0x7f00aa"), "run");
  EXPECT_EQ(canonical_name("run (0x7f00aa)"), "run");
  EXPECT_EQ(canonical_name("run [0x7f00aa]"), "run");
  EXPECT_EQ(canonical_name("run+0x1f.constprop.0"), "run");
}

TEST(FunctionNameTest, what_only_looks_alike_stays) {
  EXPECT_EQ(canonical_name("conv2d.3"), "conv2d.3");
  EXPECT_EQ(canonical_name("gemm_0x10"), "gemm_0x10");
  EXPECT_EQ(canonical_name("0x7f00"), "0x7f00");
  EXPECT_EQ(canonical_name("aten::part"), "aten::part");
  EXPECT_EQ(canonical_name("f(a)[clone] kept"), "f(a)[clone] kept");
  EXPECT_EQ(canonical_name("void f<(anonymous namespace)::T>(int)"),
            "void f<(anonymous namespace)::T>(int)");
  EXPECT_EQ(canonical_name(""), "");
  EXPECT_EQ(canonical_name(".cold"), ".cold");
}

TEST(FunctionNameTest, mangled_names_are_read) {
  EXPECT_EQ(canonical_name("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(canonical_name("_ZN3foo3barEi.constprop.0"), "foo::bar(int)");
  EXPECT_EQ(canonical_name("_Znonsense!"), "_Znonsense!");
}

}  // namespace
}  // namespace strobe::compare
