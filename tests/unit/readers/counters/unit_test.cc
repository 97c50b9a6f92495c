#include "strobe/readers/counters/unit.h"

#include <string_view>

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

struct Case {
  std::string_view word;
  Quantity quantity;
  int power_of_ten;
};

TEST(Unit, words_of_all_versions_lead_to_one_base_unit) {
  constexpr Case kCases[] = {
      {"ns", Quantity::kTime, 0},
      {"nsecond", Quantity::kTime, 0},
      {"us", Quantity::kTime, 3},
      {"usecond", Quantity::kTime, 3},
      {"ms", Quantity::kTime, 6},
      {"msecond", Quantity::kTime, 6},
      {"s", Quantity::kTime, 9},
      {"second", Quantity::kTime, 9},
      {"%", Quantity::kPercent, 0},
      {"byte", Quantity::kBytes, 0},
      {"Kbyte", Quantity::kBytes, 3},
      {"Mbyte", Quantity::kBytes, 6},
      {"Gbyte", Quantity::kBytes, 9},
      {"Kbyte/block", Quantity::kBytes, 3},
      {"hz", Quantity::kFrequency, 0},
      {"Khz", Quantity::kFrequency, 3},
      {"Mhz", Quantity::kFrequency, 6},
      {"Ghz", Quantity::kFrequency, 9},
      {"GHz", Quantity::kFrequency, 9},
      {"cycle/second", Quantity::kFrequency, 0},
      {"cycle/usecond", Quantity::kFrequency, 6},
      {"cycle/nsecond", Quantity::kFrequency, 9},
      {"byte/second", Quantity::kRate, 0},
      {"Gbyte/s", Quantity::kRate, 9},
      {"cycle", Quantity::kCount, 0},
      {"inst", Quantity::kCount, 0},
      {"Minst", Quantity::kCount, 6},
      {"register/thread", Quantity::kCount, 0},
      {"inst/cycle", Quantity::kCount, 0},
      {"SM", Quantity::kCount, 0},
      {"", Quantity::kNone, 0},
  };
  for (const Case& one : kCases) {
    const Unit unit = unit_of(one.word);
    EXPECT_EQ(unit.quantity, one.quantity) << one.word;
    EXPECT_EQ(unit.power_of_ten, one.power_of_ten) << one.word;
  }
}

}  // namespace
}  // namespace strobe::readers
