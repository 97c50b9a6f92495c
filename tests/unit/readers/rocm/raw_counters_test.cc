#include "strobe/readers/rocm/raw_counters.h"

#include <map>
#include <string_view>

#include <gmock/gmock.h>

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::map<KernelMetric, double> metrics_from(const std::map<std::string_view, double>& counters,
                                            double wave_threads = 64) {
  RawCounters raw;
  for (const auto& [name, value] : counters) raw.set(raw_counter_of(name), value);
  std::map<KernelMetric, double> metrics;
  for (const auto& [metric, value] : raw.metrics(wave_threads)) metrics[metric] = value;
  return metrics;
}

TEST(RawCountersTest, sizes_are_in_kib) {
  EXPECT_THAT(metrics_from({{"FETCH_SIZE", 2}, {"WriteSize", 0.5}}),
              ElementsAre(Pair(KernelMetric::kDramReadBytes, 2048),
                          Pair(KernelMetric::kDramWriteBytes, 512)));
}

// 10 of 32 bytes, 20 of 128, the other 70 of 64.
TEST(RawCountersTest, requests_have_the_bytes_of_their_width) {
  EXPECT_THAT(
      metrics_from(
          {{"TCC_EA0_RDREQ_sum", 100}, {"TCC_EA0_RDREQ_32B_sum", 10}, {"TCC_BUBBLE_sum", 20}}),
      ElementsAre(Pair(KernelMetric::kDramReadBytes, 10 * 32 + 20 * 128 + 70 * 64)));
}

TEST(RawCountersTest, a_share_needs_both_counts_and_something_to_share) {
  EXPECT_THAT(metrics_from({{"TCC_HIT_sum", 30}, {"TCC_MISS_sum", 10}}),
              ElementsAre(Pair(KernelMetric::kL2HitPercent, 75)));
  EXPECT_THAT(metrics_from({{"TCC_HIT_sum", 30}}), IsEmpty());
  EXPECT_THAT(metrics_from({{"TCC_HIT_sum", 0}, {"TCC_MISS_sum", 0}}), IsEmpty());
}

TEST(RawCountersTest, an_instruction_works_for_all_threads_of_its_wave) {
  const std::map<std::string_view, double> counters = {
      {"SQ_INSTS_VALU_ADD_F32", 1}, {"SQ_INSTS_VALU_MUL_F32", 2}, {"SQ_INSTS_VALU_FMA_F32", 3}};
  EXPECT_THAT(metrics_from(counters, 32), ElementsAre(Pair(KernelMetric::kFlops, 32 * 9)));
  EXPECT_THAT(metrics_from(counters, 0), ElementsAre(Pair(KernelMetric::kFlops, 64 * 9)));
}

TEST(RawCountersTest, counters_without_a_use_are_told_apart) {
  EXPECT_EQ(raw_counter_of("GRBM_COUNT"), RawCounter::kCount_);
  EXPECT_THAT(metrics_from({}), IsEmpty());
}

}  // namespace
}  // namespace strobe::readers
