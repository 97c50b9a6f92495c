#include "strobe/analysis/waits/cause_list.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

TEST(CauseListTest, numbers_causes_as_they_come_and_keeps_kinds_and_places_apart) {
  const Trace trace = Sketch().thread(1).slice("a", kOp, 0, 1).slice("b", kOp, 1, 1).trace();
  const StringId a = trace.strings().find("a");
  const StringId b = trace.strings().find("b");
  CauseList causes(trace.strings());
  EXPECT_EQ(causes.id_of({IdleKind::kOperator, b, {}}), CauseId(0));
  EXPECT_EQ(causes.id_of({IdleKind::kRuntimeCall, b, {}}), CauseId(1));
  EXPECT_EQ(causes.id_of({IdleKind::kRuntimeCall, b, a}), CauseId(2));
  EXPECT_EQ(causes.of_operator(b), CauseId(0));
  EXPECT_EQ(causes.of_operator(a), CauseId(3));
  EXPECT_EQ(causes.id_of({}), CauseId(4));
  EXPECT_EQ(causes.id_of({IdleKind::kRuntimeCall, b, a}), CauseId(2));
  ASSERT_EQ(causes.size(), 5u);
  EXPECT_EQ(causes[CauseId(2)].kind, IdleKind::kRuntimeCall);
  EXPECT_EQ(causes[CauseId(2)].name, b);
  EXPECT_EQ(causes[CauseId(2)].inside, a);
  EXPECT_EQ(causes[CauseId(3)].kind, IdleKind::kOperator);
  EXPECT_EQ(causes[CauseId(4)].kind, IdleKind::kNothing);
}

}  // namespace
}  // namespace strobe::analysis
