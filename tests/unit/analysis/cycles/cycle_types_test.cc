#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/analysis/cycles/cycle_methods.h"

namespace strobe::analysis {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr CycleType kStep = CycleType::kStep;
constexpr CycleType kShort = CycleType::kShort;
constexpr CycleType kLong = CycleType::kLong;

std::vector<Cycle> cycles_lasting(const std::vector<std::int64_t>& durations_ns) {
  std::vector<Cycle> cycles;
  std::int64_t at_ns = 0;
  for (const std::int64_t duration_ns : durations_ns) {
    Cycle cycle;
    cycle.interval = {at_ns, at_ns + duration_ns};
    at_ns += duration_ns;
    cycles.push_back(cycle);
  }
  return cycles;
}

std::vector<CycleType> types_of(std::vector<Cycle> cycles) {
  tell_types_apart(cycles);
  std::vector<CycleType> types;
  for (const Cycle& cycle : cycles) types.push_back(cycle.type);
  return types;
}

TEST(CycleTypesTest, two_sizes_of_cycles_are_two_types) {
  EXPECT_THAT(types_of(cycles_lasting({100, 1000, 110, 105, 900, 95})),
              ElementsAre(kShort, kLong, kShort, kShort, kLong, kShort));
}

TEST(CycleTypesTest, one_long_cycle_is_an_accident) {
  EXPECT_THAT(types_of(cycles_lasting({100, 1000, 110, 105, 95})), Each(kStep));
}

TEST(CycleTypesTest, sizes_less_than_three_times_apart_are_one_type) {
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 290, 290})), Each(kStep));
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 310, 310})),
              ElementsAre(kShort, kShort, kShort, kLong, kLong));
}

TEST(CycleTypesTest, equal_and_few_cycles_are_one_type) {
  EXPECT_THAT(types_of(cycles_lasting({100, 100, 100, 100})), Each(kStep));
  EXPECT_THAT(types_of(cycles_lasting({100, 900})), Each(kStep));
  EXPECT_THAT(types_of({}), ElementsAre());
}

TEST(CycleTypesTest, cycles_cut_by_the_trace_do_not_decide_but_are_decided_on) {
  std::vector<Cycle> cycles = cycles_lasting({10, 100, 105, 95, 102, 12});
  cycles.front().has_inferred_border = true;
  cycles.back().has_inferred_border = true;
  EXPECT_THAT(types_of(cycles), Each(kStep));
  cycles = cycles_lasting({90, 100, 1050, 95, 1020, 800});
  cycles.front().has_inferred_border = true;
  cycles.back().has_inferred_border = true;
  EXPECT_THAT(types_of(cycles), ElementsAre(kShort, kShort, kLong, kShort, kLong, kLong));
}

}  // namespace
}  // namespace strobe::analysis
