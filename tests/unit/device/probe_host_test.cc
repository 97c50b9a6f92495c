#include <gmock/gmock.h>

#include "strobe/device/probe.h"

namespace strobe::device {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(ProbeHostTest, the_cpu_has_cores_and_an_architecture) {
  const CpuFacts cpu = probe_cpu();
  EXPECT_GE(cpu.cores, 1);
  EXPECT_GE(cpu.usable_cores, 1);
  EXPECT_LE(cpu.usable_cores, cpu.cores);
  EXPECT_THAT(cpu.architecture, Not(IsEmpty()));
  EXPECT_THAT(cpu.simd, Not(IsEmpty()));
}

TEST(ProbeHostTest, memory_is_counted_in_bytes) {
  const MemoryFacts memory = probe_memory();
  EXPECT_GT(memory.total_bytes, 64'000'000);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
  EXPECT_LT(memory.limit_bytes.value_or(0), memory.total_bytes);
}

TEST(ProbeHostTest, counters_either_work_or_say_why_not) {
  const PerfEventFacts facts = probe_perf_events();
  EXPECT_NE(facts.counts_cycles, !facts.obstacle.empty());
}

}  // namespace
}  // namespace strobe::device
