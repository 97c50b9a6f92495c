#include "strobe/paddle/cells.h"

#include <gtest/gtest.h>

namespace strobe::paddle {
namespace {

using analysis::TimeStat;
using analysis::TimeUnit;

TEST(CellsTest, rounding_is_that_of_printf) {
  TimeStat stat{100, 61'126'500, 616'800, 605'900};
  EXPECT_EQ(TimeCells(TimeUnit::kMicroseconds).time(stat.average_ns()), "611.26");
}

TEST(CellsTest, every_unit_prints_two_decimals) {
  EXPECT_EQ(TimeCells(TimeUnit::kSeconds).time(std::int64_t{6'205'800}), "0.01");
  EXPECT_EQ(TimeCells(TimeUnit::kMilliseconds).time(std::int64_t{6'205'800}), "6.21");
  EXPECT_EQ(TimeCells(TimeUnit::kMicroseconds).time(std::int64_t{6'205'800}), "6205.80");
  EXPECT_EQ(TimeCells(TimeUnit::kNanoseconds).time(std::int64_t{6'205'800}), "6205800.00");
}

TEST(CellsTest, a_minimum_that_was_never_set_is_a_dash) {
  EXPECT_EQ(TimeCells(TimeUnit::kMilliseconds).times(TimeStat{}, 5),
            "0.00 / 0.00 / 0.00 / - / 0.00");
}

TEST(CellsTest, a_ratio_over_nothing_is_zero) {
  EXPECT_EQ(ratio(std::int64_t{5}, std::int64_t{0}), "0.00");
  EXPECT_EQ(ratio(std::int64_t{-1}, std::int64_t{8}), "-12.50");
}

}  // namespace
}  // namespace strobe::paddle
