#include "strobe/analysis/timeline/time_selection.h"

#include <gtest/gtest.h>

namespace strobe::analysis {
namespace {

TEST(TimeSelectionTest, it_holds_what_starts_inside_and_not_at_the_end) {
  const TimeSelection selection({{10, 20}, {30, 40}});
  for (const std::int64_t inside : {10, 19, 30, 39}) EXPECT_TRUE(selection.holds(inside)) << inside;
  for (const std::int64_t outside : {9, 20, 29, 40}) {
    EXPECT_FALSE(selection.holds(outside)) << outside;
  }
}

TEST(TimeSelectionTest, everything_holds_everything_and_nothing_nothing) {
  EXPECT_TRUE(TimeSelection().holds(-5));
  EXPECT_TRUE(TimeSelection().is_everything());
  EXPECT_FALSE(TimeSelection(IntervalSet()).holds(0));
}

}  // namespace
}  // namespace strobe::analysis
