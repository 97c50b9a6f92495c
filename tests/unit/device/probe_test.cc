#include "strobe/device/probe.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

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

TEST(ProbeHostTest, context_switches_are_recorded_or_something_says_why_not) {
  const SwitchRecordFacts facts = probe_switch_records();
  EXPECT_EQ(facts.of_own_processes && facts.of_all_cores, facts.obstacle.empty());
  EXPECT_EQ(facts.is_forbidden, facts.obstacle == "not permitted");
  EXPECT_LE(facts.of_all_cores, facts.of_own_processes) << "all cores need more permission";
}

TEST(ProbeHostTest, what_the_kernel_tells_about_waits_is_looked_up) {
  const testing::TemporaryFolder folder;
  const WaitFacts nothing = probe_waits(folder.path().string(), folder.path().string());
  EXPECT_FALSE(nothing.per_thread || nothing.pressure || nothing.cpu_quota);
  std::filesystem::create_directory(folder / "self");
  testing::put_bytes(folder / "self/schedstat", "1 2 3\n");
  testing::put_bytes(folder / "cgroup.controllers", "cpu memory\n");
  const WaitFacts some = probe_waits(folder.path().string(), folder.path().string());
  EXPECT_TRUE(some.per_thread && some.cpu_quota);
  EXPECT_FALSE(some.pressure);
  std::filesystem::remove(folder / "cgroup.controllers");
  std::filesystem::create_directory(folder / "cpu");
  EXPECT_TRUE(probe_waits("", folder.path().string()).cpu_quota) << "control groups of version 1";
}

TEST(ProbeLibraryTest, asking_for_any_library_is_safe) {
  for (const Library library : {Library::kCudaDriver, Library::kNvml, Library::kCupti,
                                Library::kNvrtc, Library::kCublasLt, Library::kCudnn}) {
    const auto found = probe_library(library);
    EXPECT_TRUE(!found || !found->path.empty());
  }
}

TEST(ProbeProgramTest, a_program_is_found_by_any_of_its_names) {
  const auto shell = probe_program({"no-such-program-anywhere", "sh"});
  ASSERT_TRUE(shell.has_value());
  EXPECT_TRUE(shell->path.ends_with("/sh"));
}

TEST(ProbeProgramTest, a_program_that_is_not_there_is_absent) {
  EXPECT_FALSE(probe_program({"no-such-program-anywhere"}).has_value());
}

TEST(ProbeProgramTest, a_version_is_the_first_number_with_a_dot) {
  EXPECT_EQ(version_in("git version 2.39.5"), "2.39.5");
  EXPECT_EQ(version_in("v20.20.2\n"), "20.20.2");
  EXPECT_EQ(version_in("nvcc: NVIDIA (R)\n(c) 2005-2024 NVIDIA\nrelease 12.4, V12.4.131"), "12.4");
  EXPECT_EQ(version_in("Chromium 120.0.6099.224 built on Debian 12.4."), "120.0.6099.224");
  EXPECT_EQ(version_in("no numbers"), "");
  EXPECT_EQ(version_in("7"), "");
}

TEST(ProbeCompressionTest, gzip_and_zstd_can_always_be_read) {
  bool gzip = false;
  bool zstd = false;
  for (const Engine& engine : compression_engines()) {
    gzip = gzip || engine.job.find(".gz") != std::string::npos;
    zstd = zstd || engine.job.find(".zst") != std::string::npos;
  }
  EXPECT_TRUE(gzip && zstd);
}

}  // namespace
}  // namespace strobe::device
