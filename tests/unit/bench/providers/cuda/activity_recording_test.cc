#include "strobe/bench/providers/cuda/activity_recording.h"

#include <gmock/gmock.h>

#include "scripted_cupti.h"

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

}  // namespace
}  // namespace strobe::bench
