#include "strobe/cli/bench_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "strobe/record/metric_sets.h"
#include "tests/support/process.h"

// The real injected library, in a program with a scripted driver and counters:
// tests/support/stub_cuda.
namespace strobe::cli {
namespace {

using bench::CountedLaunch;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Words = std::vector<std::string>;

#ifdef STROBE_STUB_FOLDER
const std::string kStubs = STROBE_STUB_FOLDER;
#else
const std::string kStubs;
#endif

class BenchCounters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kStubs.empty()) GTEST_SKIP() << "built without the CUDA toolkit's headers";
    setenv("STROBE_RECORD_CUPTI", (kStubs + "/libcupti.so.13").c_str(), 1);
  }
  void TearDown() override { unsetenv("STROBE_RECORD_CUPTI"); }

  // A process that is watched like a worker.
  void run(const Words& deeds, const Words& more = {}) {
    Words command = {kStubs + "/fake_app"};
    command.insert(command.end(), deeds.begin(), deeds.end());
    const auto variables = counter_.environment(command);
    ASSERT_TRUE(variables) << variables.error().what;
    test::ProcessRequest request;
    request.command = command;
    request.folder = "/tmp";
    request.environment = {"LD_LIBRARY_PATH=" + kStubs, "PATH=/usr/bin:/bin",
                           "STROBE_RECORD_CUPTI=" + kStubs + "/libcupti.so.13"};
    request.environment.insert(request.environment.end(), more.begin(), more.end());
    for (const auto& [name, value] : *variables) {
      if (!value.empty()) request.environment.push_back(name + "=" + value);
    }
    ASSERT_EQ(test::run_process(request).exit_code, 0);
  }
  RecordedCalls counter_{record::bench_parts()};
};

const Words kSixCalls = {"before", "open", "flush", "open",  "a",     "close", "between", "open",
                         "flush",  "open", "a",     "close", "open",  "flush", "open",    "a",
                         "close",  "open", "flush", "open",  "a",     "close", "open",    "flush",
                         "open",   "a",    "close", "open",  "flush", "open",  "a",       "close"};

TEST_F(BenchCounters, each_call_has_the_counters_of_its_turn) {
  run(kSixCalls);
  const auto calls = counter_.take();
  ASSERT_TRUE(calls) << calls.error().what;
  ASSERT_EQ(calls->size(), 6u);
  for (const std::vector<CountedLaunch>& call : *calls) {
    ASSERT_EQ(call.size(), 1u);
    EXPECT_EQ(call[0].name, "a");
    EXPECT_EQ(call[0].grid, (std::array<std::int64_t, 3>{10, 2, 1}));
  }
  // The stub's rule: launch n (from 0) has 1000 * (n + 1) + m in metric m of its list.
  EXPECT_EQ((*calls)[0][0].counters.size(), 10u);
  EXPECT_EQ((*calls)[0][0].counters.at("gpu__time_duration.sum"), 3000);
  EXPECT_EQ((*calls)[0][0].counters.at("smsp__inst_executed.sum"), 3009);
  EXPECT_EQ((*calls)[1][0].counters.size(), 2u);
  EXPECT_EQ((*calls)[1][0].counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"), 6000);
  EXPECT_EQ((*calls)[2][0].counters.size(), 3u);
  EXPECT_EQ((*calls)[2][0].counters.at("sm__sass_thread_inst_executed_op_ffma_pred_on.sum"), 8002);
  EXPECT_EQ((*calls)[3][0].counters.at("sm__ops_path_tensor_src_bf16_dst_fp32.sum"), 10001);
  EXPECT_EQ((*calls)[4][0].counters.at("sm__ops_path_tensor_src_tf32_dst_fp32.sum"), 12001);
  EXPECT_EQ((*calls)[5][0].counters.at("sm__ops_path_tensor_src_fp16.sum"), 14001);
}

TEST_F(BenchCounters, what_was_taken_does_not_come_again) {
  run(kSixCalls);
  ASSERT_EQ(counter_.take()->size(), 6u);
  EXPECT_EQ(counter_.take()->size(), 0u);
  run(kSixCalls);
  EXPECT_EQ(counter_.take()->size(), 6u);
}

TEST_F(BenchCounters, counters_that_are_forbidden_are_the_machines_lack_and_told_with_a_remedy) {
  run(kSixCalls, {"STUB_CUPTI=enable=35"});
  const auto calls = counter_.take();
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(calls.error().what, HasSubstr("for administrators"));
  EXPECT_THAT(calls.error().hint, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST_F(BenchCounters, a_lost_batch_is_a_mishap) {
  run(kSixCalls, {"STUB_CUPTI=swallow=2"});
  const auto calls = counter_.take();
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(calls.error().what, HasSubstr("could not be assigned"));
}

TEST_F(BenchCounters, a_metric_that_the_chip_lacks_is_absent_and_no_trouble) {
  run(kSixCalls, {"STUB_CUPTI=unknown=dram__bytes_read.sum"});
  const auto calls = counter_.take();
  ASSERT_TRUE(calls) << calls.error().what;
  EXPECT_EQ((*calls)[0][0].counters.count("dram__bytes_read.sum"), 0u);
  EXPECT_EQ((*calls)[0][0].counters.size(), 9u);
}

TEST_F(BenchCounters, a_type_that_the_chip_cannot_multiply_costs_nothing_else) {
  run(kSixCalls, {"STUB_CUPTI=unknown=sm__ops_path_tensor_src_bf16_dst_fp32.sum"});
  const auto calls = counter_.take();
  ASSERT_TRUE(calls) << calls.error().what;
  ASSERT_EQ(calls->size(), 6u);
  EXPECT_THAT((*calls)[3][0].counters, ElementsAre(Pair("gpu__time_duration.sum", _)));
  EXPECT_EQ((*calls)[4][0].counters.count("sm__ops_path_tensor_src_tf32_dst_fp32.sum"), 1u);
}

TEST_F(BenchCounters, a_process_that_never_opens_the_driver_is_told) {
  run({"idle"});
  const auto calls = counter_.take();
  ASSERT_FALSE(calls);
  EXPECT_THAT(calls.error().what, HasSubstr("never opened the CUDA driver"));
}

TEST_F(BenchCounters, a_library_that_is_not_there_is_the_machines_lack) {
  setenv("STROBE_INJECT", "/nowhere/libstrobe_inject.so", 1);
  const auto variables = counter_.environment({"worker"});
  unsetenv("STROBE_INJECT");
  ASSERT_FALSE(variables);
  EXPECT_EQ(variables.error().code, ErrorCode::kMachineLacks);
}

}  // namespace
}  // namespace strobe::cli
