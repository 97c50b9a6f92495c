#include "strobe/bench/providers/cuda/cupti_recording.h"

#include <gmock/gmock.h>

#include "tests/unit/bench/providers/cuda/scripted_cupti.h"

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

TEST(ActivityRecording, kernels_come_in_the_order_in_which_they_began) {
  ScriptedCupti script;
  const auto recording = ActivityRecording::start(script.api());
  ASSERT_TRUE(recording);
  script.add({.start_us = 20, .end_us = 21.5}, "second");
  script.add({.start_us = 10, .end_us = 14}, "first");
  const auto kernels = (*recording)->take();
  ASSERT_TRUE(kernels) << kernels.error().what;
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ(kernels->at(0).name, "first");
  EXPECT_EQ(kernels->at(0).duration_us, 4.0);
  EXPECT_EQ(kernels->at(0).registers, 16);
  EXPECT_EQ(kernels->at(0).shared_bytes, 40);
  EXPECT_EQ(kernels->at(1).name, "second");
  EXPECT_EQ(kernels->at(1).duration_us, 1.5);
}

TEST(ActivityRecording, what_was_taken_is_not_given_twice) {
  ScriptedCupti script;
  const auto recording = ActivityRecording::start(script.api());
  ASSERT_TRUE(recording);
  script.add({.start_us = 1, .end_us = 2}, "a");
  EXPECT_EQ((*recording)->take()->size(), 1u);
  EXPECT_TRUE((*recording)->take()->empty());
}

TEST(ActivityRecording, records_may_end_as_their_version_likes) {
  for (const std::size_t tail : {0u, 8u, 56u, 120u}) {
    ScriptedCupti script;
    script.record_bytes = sizeof(cupti::KernelRecord) + tail;
    const auto recording = ActivityRecording::start(script.api());
    ASSERT_TRUE(recording);
    for (int i = 1; i <= 3; ++i) script.add({.start_us = 10.0 * i, .end_us = 10.0 * i + i}, "k");
    const auto kernels = (*recording)->take();
    ASSERT_TRUE(kernels);
    ASSERT_EQ(kernels->size(), 3u) << tail;
    EXPECT_EQ(kernels->at(2).duration_us, 3.0);
  }
}

TEST(ActivityRecording, records_of_other_things_are_passed_over) {
  ScriptedCupti script;
  const auto recording = ActivityRecording::start(script.api());
  ASSERT_TRUE(recording);
  constexpr std::uint32_t kCopy = 1;
  script.add({.start_us = 1, .end_us = 2}, "a copy", kCopy);
  script.add({.start_us = 3, .end_us = 4}, "a kernel", cupti::kKernel);
  const auto kernels = (*recording)->take();
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->at(0).name, "a kernel");
}

TEST(ActivityRecording, a_lost_record_or_one_without_times_is_an_error_and_no_small_number) {
  ScriptedCupti script;
  const auto recording = ActivityRecording::start(script.api());
  ASSERT_TRUE(recording);
  script.add({.start_us = 1, .end_us = 2}, "a");
  script.records_to_drop = 2;
  const auto dropped = (*recording)->take();
  ASSERT_FALSE(dropped);
  EXPECT_THAT(dropped.error().what, HasSubstr("lost the records of 2 kernels"));
  script.add({.start_us = 0, .end_us = 0}, "unfinished");
  const auto timeless = (*recording)->take();
  ASSERT_FALSE(timeless);
  EXPECT_THAT(timeless.error().what, HasSubstr("no times of the kernel 'unfinished'"));
}

TEST(ActivityRecording, is_off_when_it_is_over) {
  ScriptedCupti script;
  {
    const auto recording = ActivityRecording::start(script.api());
    ASSERT_TRUE(recording);
    EXPECT_TRUE(script.is_on);
    script.add({.start_us = 1, .end_us = 2}, "never taken");
  }
  EXPECT_FALSE(script.is_on);
  const auto next = ActivityRecording::start(script.api());
  ASSERT_TRUE(next);
  EXPECT_TRUE((*next)->take()->empty());
}

TEST(ActivityRecording, a_refusal_is_told_in_cuptis_words) {
  ScriptedCupti script;
  script.failures["enable"] = cupti::kMultipleSubscribers;
  const auto recording = ActivityRecording::start(script.api());
  ASSERT_FALSE(recording);
  EXPECT_THAT(recording.error().what,
              HasSubstr("cuptiActivityEnable gives CUPTI_ERROR_OF_A_TEST (39)"));
}

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
  // Calls between two host times.
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
  script_.add_call({60, 61}, 11);     // after
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
