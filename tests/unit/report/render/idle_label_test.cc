#include "strobe/report/render/idle_label.h"

#include <gtest/gtest.h>

namespace strobe::report {
namespace {

TEST(IdleLabelTest, a_cause_is_called_by_its_name) {
  using enum analysis::IdleKind;
  EXPECT_EQ(idle_label(kRuntimeCall, "cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(idle_label(kDataLoading, "next_batch"), "next_batch");
  EXPECT_EQ(idle_label(kOverhead, "Buffer Flush"), "Buffer Flush (profiler)");
}

TEST(IdleLabelTest, what_has_no_name_is_named_in_brackets) {
  using enum analysis::IdleKind;
  EXPECT_EQ(idle_label(kNothing, ""), "(nothing recorded)");
  EXPECT_EQ(idle_label(kLaunched, ""), "(next work launched already)");
  EXPECT_EQ(idle_label(kDataLoading, ""), "(data loading)");
  EXPECT_EQ(idle_label(kOverhead, ""), "(profiler)");
  EXPECT_EQ(idle_label(kOperator, ""), "(no name)");
}

}  // namespace
}  // namespace strobe::report
