#include "strobe/compare/measure/partial_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strobe::compare {
namespace {

using analysis::Cycle;
using analysis::CycleType;
using ::testing::ElementsAre;

TEST(PartialCyclesTest, fewer_than_four_fifths_of_the_median_is_partial) {
  const std::vector<Cycle> cycles(5);
  EXPECT_THAT(partial_cycles(cycles, {79, 80, 100, 100, 120}),
              ElementsAre(true, false, false, false, false));
}

TEST(PartialCyclesTest, each_type_has_its_own_median) {
  std::vector<Cycle> cycles(6);
  for (const std::size_t i : {0u, 3u}) cycles[i].type = CycleType::kLong;
  EXPECT_THAT(partial_cycles(cycles, {1000, 10, 10, 1000, 10, 7}),
              ElementsAre(false, false, false, false, false, true));
}

TEST(PartialCyclesTest, a_border_of_the_traces_own_is_no_border_of_a_cycle) {
  std::vector<Cycle> cycles(3);
  cycles[2].has_inferred_border = true;
  EXPECT_THAT(partial_cycles(cycles, {5, 5, 5}), ElementsAre(false, false, true));
}

TEST(PartialCyclesTest, a_device_that_does_nothing_has_whole_cycles) {
  EXPECT_THAT(partial_cycles(std::vector<Cycle>(2), {0, 0}), ElementsAre(false, false));
}

}  // namespace
}  // namespace strobe::compare
