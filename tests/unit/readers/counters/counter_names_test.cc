#include "strobe/readers/counters/counter_names.h"

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

namespace {

TEST(CounterNames, names_and_labels_of_one_counter_meet) {
  for (const char* name : {"gpu__time_duration.sum", "Duration"}) {
    ASSERT_TRUE(find_counter(name)) << name;
    EXPECT_EQ(find_counter(name)->counter, Counter::kDuration) << name;
  }
  for (const char* name :
       {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", "SOL DRAM"}) {
    ASSERT_TRUE(find_counter(name)) << name;
    EXPECT_EQ(find_counter(name)->counter, counter_of(KernelMetric::kDramPercent)) << name;
  }
}

TEST(CounterNames, the_better_source_has_the_lower_rank) {
  const auto rank = [](std::string_view name) { return find_counter(name)->rank; };
  EXPECT_LT(rank("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            rank("dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_LT(rank("gpu__time_duration.sum"), rank("gpu__time_duration.max"));
  EXPECT_LT(rank("sm__cycles_elapsed.avg.per_second"), rank("smsp__cycles_elapsed.avg.per_second"));
}

TEST(CounterNames, instructions_of_the_matrix_pipe_are_not_its_busy_cycles) {
  EXPECT_FALSE(find_counter("sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_FALSE(find_counter("sm__pipe_tensor_cycles_active.max.pct_of_peak_sustained_elapsed"));
  EXPECT_FALSE(find_counter(""));
}

}  // namespace

}  // namespace strobe::readers
