#include "strobe/bench/providers/cuda/api_recording.h"

#include <gmock/gmock.h>

#include "scripted_cupti.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ApiRecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    script_.names = {{10, "cuLaunchKernel"},
                     {11, "cuMemsetD8Async_v2"},
                     {20, "cudaLaunchKernel_v7000"},
                     {21, "cudaStreamIsCapturing_v10000"}};
    recording_ = std::move(*ApiRecording::start(script_.api()));
  }
  // What lies between two moments of the host.
  Result<std::vector<ApiCall>> between(double from_us, double to_us) {
    script_.now_us = from_us;
    EXPECT_TRUE(recording_->begin());
    script_.now_us = to_us;
    EXPECT_TRUE(recording_->end());
    return recording_->take();
  }

  ScriptedCupti script_;
  std::unique_ptr<ApiRecording> recording_;
};

TEST_F(ApiRecordingTest, calls_are_counted_by_name_in_the_order_of_their_first) {
  script_.add_call({30, 31}, 10);
  script_.add_call({20, 24}, 21, cupti::kRuntimeCall);
  script_.add_call({40, 42.5}, 10);
  const auto calls = between(10, 50);
  ASSERT_TRUE(calls) << calls.error().what;
  EXPECT_THAT(*calls, ElementsAre(ApiCall{"cudaStreamIsCapturing", 1, 4.0},
                                  ApiCall{"cuLaunchKernel", 2, 3.5}));
}

TEST_F(ApiRecordingTest, only_what_lies_whole_in_the_window_counts) {
  script_.add_call({5, 6}, 11);       // before
  script_.add_call({9.5, 10.5}, 11);  // across its beginning
  script_.add_call({10, 11}, 10);     // at it
  script_.add_call({49, 50}, 10);     // at its end
  script_.add_call({49.5, 51}, 11);   // across it
  script_.add_call({60, 61}, 11);     // behind
  EXPECT_THAT(*between(10, 50), ElementsAre(ApiCall{"cuLaunchKernel", 2, 2.0}));
}

// cudaLaunchKernel from 20 to 27 calls cuLaunchKernel from 22 to 26, which leaves 3 us of its own.
TEST_F(ApiRecordingTest, a_call_inside_another_is_no_part_of_its_time) {
  script_.add_call({20, 27}, 20, cupti::kRuntimeCall);
  script_.add_call({22, 26}, 10);
  script_.add_call({28, 30}, 10);
  EXPECT_THAT(*between(10, 50),
              ElementsAre(ApiCall{"cudaLaunchKernel", 1, 3.0}, ApiCall{"cuLaunchKernel", 2, 6.0}));
}

TEST_F(ApiRecordingTest, threads_do_not_nest_in_each_other) {
  script_.add_call({20, 30}, 20, cupti::kRuntimeCall, 1);
  script_.add_call({22, 26}, 10, cupti::kDriverCall, 2);
  EXPECT_THAT(*between(10, 50),
              ElementsAre(ApiCall{"cudaLaunchKernel", 1, 10.0}, ApiCall{"cuLaunchKernel", 1, 4.0}));
}

TEST_F(ApiRecordingTest, a_call_without_a_name_keeps_its_number) {
  script_.add_call({20, 21}, 777);
  script_.add_call({22, 23}, 10, cupti::kRuntimeCall);  // a number of the other list
  EXPECT_THAT(*between(10, 50),
              ElementsAre(ApiCall{"driver call 777", 1, 1.0}, ApiCall{"runtime call 10", 1, 1.0}));
}

TEST_F(ApiRecordingTest, kernels_are_passed_over) {
  script_.add({.start_us = 20, .end_us = 22}, "a kernel");
  EXPECT_THAT(*between(10, 50), ElementsAre());
}

TEST_F(ApiRecordingTest, a_lost_record_is_an_error_and_no_short_list) {
  script_.records_to_drop = 3;
  const auto calls = between(10, 50);
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().what, "CUPTI lost the records of 3 calls");
  EXPECT_EQ(calls.error().where, "--api");
}

TEST_F(ApiRecordingTest, is_off_when_it_is_over) {
  EXPECT_THAT(script_.call_kinds, ElementsAre(cupti::kDriverCall, cupti::kRuntimeCall));
  recording_.reset();
  EXPECT_TRUE(script_.call_kinds.empty());
}

TEST(ApiRecording, a_refusal_names_the_flag_that_asked_for_it) {
  ScriptedCupti script;
  script.failures["enable"] = cupti::kMultipleSubscribers;
  const auto recording = ApiRecording::start(script.api());
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().where, "--api");
  EXPECT_THAT(recording.error().what, HasSubstr("API calls cannot be recorded: "
                                                "cuptiActivityEnable gives CUPTI_ERROR_OF_A_TEST"));
}

TEST(WithoutVersion, takes_off_a_version_and_nothing_else) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cuMemcpyHtoD_v2"), "cuMemcpyHtoD");
  EXPECT_EQ(without_version("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel_ptsz");
  EXPECT_EQ(without_version("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(without_version("cu_vector"), "cu_vector");
  EXPECT_EQ(without_version("odd_v"), "odd_v");
}

}  // namespace
}  // namespace strobe::bench
