#include "strobe/cli/diagnosis.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TEST(DiagnosisTest, this_machine_can_be_diagnosed) {
  const Diagnosis diagnosis = diagnose();
  ASSERT_EQ(diagnosis.groups.size(), 2u);
  for (const PartGroup& group : diagnosis.groups) {
    for (const Part& part : group.parts) {
      EXPECT_FALSE(part.needed_for.empty()) << part.key;
      EXPECT_FALSE(part.how_to_get.empty()) << part.key;
    }
  }
}

}  // namespace
}  // namespace strobe::cli
