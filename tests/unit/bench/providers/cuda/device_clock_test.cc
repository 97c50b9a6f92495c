#include "strobe/bench/providers/cuda/device_clock.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DeviceClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
    auto clock = DeviceClock::make(*device_);
    ASSERT_TRUE(clock) << clock.error().what;
    clock_ = std::move(*clock);
    auto kernel = device_->load(std::vector<char>{'x'}, "strobe_case", {});
    ASSERT_TRUE(kernel);
    kernel_ = std::move(*kernel);
    made_ = std::exchange(script_.calls, {});
  }

  DeviceClock::Step flush(FlushKind kind) {
    return [this, kind](int) { return clock_->flush().enqueue(kind); };
  }
  DeviceClock::Step call() {
    return [this](int) { return device_->launch(kernel_, {}, {}); };
  }
  std::vector<std::string> order() const {
    std::vector<std::string> names;
    for (const auto& one : script_.calls) names.push_back(one.what);
    return names;
  }

  ScriptedDriver script_;
  std::vector<ScriptedDriver::Call> made_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<DeviceClock> clock_;
  DeviceKernel kernel_;
};

TEST_F(DeviceClockTest, its_own_kernels_run_once_before_anything_is_held) {
  bool is_hold_seen = false;
  for (const auto& one : made_) {
    EXPECT_FALSE(one.is_held) << one.what;
    is_hold_seen = is_hold_seen || one.what == "launch strobe_hold";
  }
  EXPECT_TRUE(is_hold_seen);
  EXPECT_EQ(script_.releases, 0);
}

TEST_F(DeviceClockTest,
       the_hold_comes_first_the_flush_lies_outside_the_events_and_one_wait_ends_it) {
  const auto block = clock_->measure(2, flush(FlushKind::kCold), call());
  ASSERT_TRUE(block) << block.error().what;
  EXPECT_THAT(
      order(),
      ElementsAre("launch strobe_hold",                                                   //
                  "launch strobe_flush", "launch strobe_release", "launch strobe_flush",  //
                  "event", "launch strobe_case", "event",                                 //
                  "launch strobe_flush", "launch strobe_release", "launch strobe_flush",  //
                  "event", "launch strobe_case", "event",                                 //
                  "synchronize", "launch strobe_clock", "synchronize", "elapsed", "elapsed"));
}

TEST_F(DeviceClockTest, everything_is_queued_while_the_device_is_held_and_released_once) {
  ASSERT_TRUE(clock_->measure(16, flush(FlushKind::kCold), call()));
  for (const auto& one : script_.calls) {
    if (one.what == "synchronize" || one.what == "elapsed" || one.what == "launch strobe_clock") {
      EXPECT_FALSE(one.is_held) << one.what;
    } else {
      EXPECT_TRUE(one.is_held) << one.what;
    }
  }
  EXPECT_EQ(script_.releases, 1);
}

TEST_F(DeviceClockTest, a_time_is_the_calls_alone_and_not_the_flushs) {
  script_.kernel_us = {{"strobe_flush", 27}, {"strobe_case", 40}};
  const auto block = clock_->measure(3, flush(FlushKind::kCold), call());
  ASSERT_TRUE(block);
  ASSERT_EQ(block->elapsed_us.size(), 3u);
  // 40 us and the second event's 1 us.
  for (const double us : block->elapsed_us) EXPECT_NEAR(us, 41, 1e-3);
  EXPECT_NEAR(block->sm_mhz, 1980, 1e-6);
}

TEST_F(DeviceClockTest, a_dirty_flush_writes_zeros_outside_the_events) {
  ASSERT_TRUE(clock_->measure(1, flush(FlushKind::kColdDirty), call()));
  EXPECT_THAT(order(),
              ElementsAre("launch strobe_hold", "fill", "event", "launch strobe_case", "event",
                          "synchronize", "launch strobe_clock", "synchronize", "elapsed"));
}

TEST_F(DeviceClockTest, a_block_whose_hold_ran_out_is_thrown_away_and_repeated_with_fewer) {
  script_.holds_that_time_out = 2;
  const auto block = clock_->measure(16, flush(FlushKind::kCold), call());
  ASSERT_TRUE(block) << block.error().what;
  EXPECT_EQ(block->elapsed_us.size(), 4u);
  EXPECT_EQ(script_.count("elapsed"), 4u);  // the times of the others are not read
  EXPECT_EQ(clock_->timed_out(), 2);
  EXPECT_EQ(script_.count("launch strobe_hold"), 3u);
  EXPECT_EQ(script_.releases, 3);
}

TEST_F(DeviceClockTest, a_hold_that_always_runs_out_is_an_error_that_says_why) {
  script_.holds_that_time_out = 100;
  const auto block = clock_->measure(16, flush(FlushKind::kCold), call());
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(block.error().what, HasSubstr("more than 1 s to queue one call"));
  EXPECT_EQ(script_.count("launch strobe_hold"), 5u);  // 16, 8, 4, 2, 1
  EXPECT_THAT(block.error().hint, HasSubstr("`--profile` holds no queue"));
}

TEST_F(DeviceClockTest, a_failed_launch_releases_the_device_and_waits_for_it) {
  script_.failures["launch strobe_case"] = cu::kLaunchOutOfResources;
  const auto block = clock_->measure(2, flush(FlushKind::kCold), call());
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().what, HasSubstr("cuLaunchKernel gives"));
  EXPECT_EQ(script_.calls.back().what, "synchronize");
  EXPECT_FALSE(script_.calls.back().is_held);
  EXPECT_EQ(script_.releases, 1);
}

TEST_F(DeviceClockTest, a_kernel_that_ruins_the_context_ends_it_for_good) {
  script_.failures["synchronize"] = cu::kIllegalAddress;
  ASSERT_FALSE(clock_->measure(2, flush(FlushKind::kCold), call()));
  script_.failures.clear();
  const auto again = clock_->measure(2, flush(FlushKind::kCold), call());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().what, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

TEST_F(DeviceClockTest, a_chain_holds_nothing_and_leaves_out_its_first_call) {
  script_.kernel_us = {{"strobe_case", 40}};
  const auto block = clock_->measure_chain(3, call());
  ASSERT_TRUE(block);
  EXPECT_THAT(block->elapsed_us, Each(::testing::DoubleNear(41, 1e-3)));
  EXPECT_EQ(block->elapsed_us.size(), 3u);
  EXPECT_EQ(script_.count("launch strobe_case"), 4u);
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
}

TEST_F(DeviceClockTest, told_not_to_hold_it_neither_compiles_nor_launches_what_spins) {
  clock_.reset();
  script_.calls.clear();
  clock_ = std::move(*DeviceClock::make(*device_, "", false));
  script_.kernel_us = {{"strobe_flush", 27}, {"strobe_case", 40}};
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  script_.calls.clear();
  const auto block = clock_->measure(2, flush(FlushKind::kColdDirty), call());
  ASSERT_TRUE(block) << block.error().what;
  EXPECT_THAT(order(), ElementsAre("fill", "event", "launch strobe_case", "event",  //
                                   "fill", "event", "launch strobe_case", "event",  //
                                   "synchronize", "launch strobe_clock", "synchronize", "elapsed",
                                   "elapsed"));
  for (const double us : block->elapsed_us) EXPECT_NEAR(us, 41, 1e-3);
  EXPECT_NEAR(block->sm_mhz, 1980, 1e-6);
  ASSERT_TRUE(clock_->try_measure(4, flush(FlushKind::kCold), call()));
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  EXPECT_EQ(script_.releases, 0);
}

TEST_F(DeviceClockTest, told_to_hold_after_all_it_runs_the_hold_once_before) {
  ASSERT_TRUE(clock_->hold_queue(false));
  ASSERT_TRUE(clock_->measure(1, flush(FlushKind::kCold), call()));
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  clock_.reset();
  clock_ = std::move(*DeviceClock::make(*device_, "", false));
  script_.calls.clear();
  ASSERT_TRUE(clock_->hold_queue(true));
  EXPECT_THAT(order(), ::testing::IsSupersetOf({"launch strobe_hold", "synchronize"}));
  for (const auto& one : script_.calls) EXPECT_FALSE(one.is_held) << one.what;
  ASSERT_TRUE(clock_->measure(1, flush(FlushKind::kCold), call()));
  EXPECT_EQ(script_.releases, 1);
}

TEST_F(DeviceClockTest, an_open_measurement_that_fails_leaves_nothing_in_the_queue) {
  script_.failures["launch strobe_case"] = cu::kLaunchOutOfResources;
  const auto block = clock_->measure_open(2, flush(FlushKind::kCold), call());
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().what, HasSubstr("cuLaunchKernel gives"));
  EXPECT_EQ(script_.calls.back().what, "synchronize");
}

TEST_F(DeviceClockTest, a_chain_that_fails_leaves_nothing_in_the_queue) {
  script_.failures["launch strobe_case"] = cu::kLaunchOutOfResources;
  ASSERT_FALSE(clock_->measure_chain(2, call()));
  EXPECT_EQ(script_.calls.back().what, "synchronize");
}

TEST_F(DeviceClockTest, the_flush_reads_twice_the_cache) {
  EXPECT_EQ(std::ranges::count(made_, "allocate 2097152", &ScriptedDriver::Call::what), 1);
}

}  // namespace
}  // namespace strobe::bench
