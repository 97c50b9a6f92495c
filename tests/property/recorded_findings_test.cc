#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/readers/trace_reader.h"

// One serving loop, recorded on an accelerator with one fault at a time
// (tests/support/record_faults.py). Its trace alone shows the fault; the healthy one does not.
namespace strobe::analysis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> codes_of_recording(const std::string& fault) {
  const std::filesystem::path folder = STROBE_SOURCE_DIR "/tests/data/faults";
  const auto loaded = readers::read_trace(folder / fault / "trace.json.gz", {.threads = 1});
  EXPECT_TRUE(loaded) << loaded.error().what;
  std::vector<std::string> codes;
  for (const Finding& finding : find_in(loaded->trace, summarize(loaded->trace))) {
    codes.push_back(finding.code);
  }
  return codes;
}

struct RecordedFinding {
  std::string fault;
  std::string code;
};

class RecordedFindingTest : public ::testing::TestWithParam<RecordedFinding> {};

TEST_P(RecordedFindingTest, is_in_the_trace_with_the_fault_and_not_in_the_healthy_one) {
  static const std::vector<std::string> healthy = codes_of_recording("none");
  const auto& [fault, code] = GetParam();
  EXPECT_THAT(codes_of_recording(fault), Contains(code));
  EXPECT_THAT(healthy, Not(Contains(code)));
}

INSTANTIATE_TEST_SUITE_P(Faults, RecordedFindingTest,
                         ::testing::Values(RecordedFinding{"allocator_churn", "blocking_call"},
                                           RecordedFinding{"clock_locked", "scattered_idle"},
                                           RecordedFinding{"core_shared", "uneven_steps"},
                                           RecordedFinding{"cpu_contention", "host_stalls"},
                                           RecordedFinding{"float32", "copies_dominate"},
                                           RecordedFinding{"host_code", "work_without_launches"},
                                           RecordedFinding{"slow_input", "device_waits_for_data"},
                                           RecordedFinding{"batch_doubled",
                                                           "one_kernel_dominates"}),
                         [](const auto& one) { return one.param.fault; });

TEST(RecordedFindingsTest, the_healthy_loop_launches_too_slowly_and_the_one_of_large_kernels_not) {
  EXPECT_THAT(codes_of_recording("none"), Contains("device_idle_host_bound"));
  EXPECT_THAT(codes_of_recording("clock_locked"), Not(Contains("device_idle_host_bound")));
}

// A program that was recorded from its start: it loads code and allocates memory for 428 ms, then
// replays a graph 405 times.
TEST(RecordedFindingsTest, the_start_of_a_program_is_one_finding_and_causes_no_other) {
  const auto loaded = readers::read_trace(
      STROBE_SOURCE_DIR "/tests/data/recordings/cold_start.strobe", {.threads = 1});
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Summary summary = summarize(loaded->trace);
  EXPECT_EQ(summary.warm_up.cycles, 1u);
  std::vector<std::string> codes;
  for (const Finding& finding : find_in(loaded->trace, summary)) {
    codes.push_back(finding.code);
    if (finding.code == "start_up") {
      EXPECT_THAT(finding.headline, HasSubstr("in cuLibraryLoadData"));
    } else {
      EXPECT_THAT(finding.headline, Not(HasSubstr("cuLibraryLoadData")));
    }
  }
  EXPECT_THAT(codes, Contains("start_up"));
  for (const char* code : {"idle_outside_steps", "time_outside_steps", "uneven_steps"}) {
    EXPECT_THAT(codes, Not(Contains(code)));
  }
}

}  // namespace
}  // namespace strobe::analysis
