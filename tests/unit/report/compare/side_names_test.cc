#include "strobe/report/compare/side_names.h"

#include <gtest/gtest.h>

#include "tests/support/comparison_sketch.h"

namespace strobe::report {
namespace {

SideNames names_for(const std::string& normal, const std::string& abnormal) {
  compare::ComparisonSketch sketch({100, 101, 99, 100}, {110, 111, 109, 110});
  sketch.edit().normal.label = normal;
  sketch.edit().abnormal.label = abnormal;
  return side_names(sketch.comparison());
}

TEST(SideNamesTest, runs_are_called_by_their_labels) {
  const SideNames names = names_for("rank 0", "gpu_contention");
  EXPECT_EQ(names.normal, "rank 0");
  EXPECT_EQ(names.abnormal, "gpu_contention");
  EXPECT_EQ(both_sides(names), "rank 0 ->\ngpu_contention");
}

TEST(SideNamesTest, labels_without_room_or_difference_give_way_to_before_and_after) {
  EXPECT_EQ(names_for("main", "a_branch_with_a_long_name").normal, "before");
  EXPECT_EQ(names_for("main", "a_branch_with_a_long_name").abnormal, "after");
  EXPECT_EQ(names_for("run", "run").abnormal, "after");
  EXPECT_EQ(names_for("", "run").normal, "before");
}

}  // namespace
}  // namespace strobe::report
