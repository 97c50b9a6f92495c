#include "strobe/readers/counters/counter_names.h"

#include <gtest/gtest.h>

namespace strobe::readers {
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
