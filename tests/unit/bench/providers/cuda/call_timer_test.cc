#include "strobe/bench/providers/cuda/call_timer.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_cupti.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// One kernel; its sets are flags that it sets.
class ScriptedCall final : public TimedCall {
 public:
  explicit ScriptedCall(CudaDevice& device) : device_(device) {
    auto kernel = device.load(std::vector<char>{'x'}, "strobe_case", {});
    kernel_ = std::move(*kernel);
  }

  Result<void> enqueue(std::size_t set) override {
    sets_asked.push_back(set);
    std::uint64_t place = set == forgotten ? 0 : reinterpret_cast<std::uint64_t>(&written[set]);
    const std::array<void*, 1> arguments = {&place};
    return device_.launch(kernel_, {}, arguments);
  }
  double set_bytes() const override { return bytes; }
  Result<void> make_sets(std::size_t count) override {
    if (has_no_room && count > 1) {
      return Error{.code = ErrorCode::kOutOfMemory, .what = "full", .where = "", .hint = ""};
    }
    written.resize(std::max(count, written.size()));
    return {};
  }
  Result<void> poison_sets(std::size_t count) override {
    std::fill_n(written.begin(), count, 0);
    return {};
  }
  Result<std::size_t> count_written_sets(std::size_t count) override {
    return static_cast<std::size_t>(
        std::count(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(count), 1));
  }

  double bytes = 1 << 18;  // an eighth of twice the scripted cache
  std::vector<int> written = std::vector<int>(1);
  std::vector<std::size_t> sets_asked;
  std::size_t forgotten = 1000000;
  bool has_no_room = false;

 private:
  CudaDevice& device_;
  DeviceKernel kernel_;
};

class CallTimerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    script_.argument_counts["strobe_case"] = 1;
    script_.kernel_us = {{"strobe_case", 10}};
    script_.on_run = [](const std::string& name, const std::vector<std::uint64_t>& arguments) {
      if (name == "strobe_case" && arguments[0] != 0) *reinterpret_cast<int*>(arguments[0]) = 1;
    };
    script_.open_cupti = [this]() -> Result<CuptiApi> { return cupti_.api(); };
    cupti_.listen_to(script_);
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
    auto clock = DeviceClock::make(*device_);
    ASSERT_TRUE(clock);
    clock_ = std::move(*clock);
    call_ = std::make_unique<ScriptedCall>(*device_);
    script_.calls.clear();
  }

  void open_again() {
    call_.reset();
    clock_.reset();
    device_ = script_.device();
    clock_ = std::move(*DeviceClock::make(*device_));
  }

  ScriptedDriver script_;
  ScriptedCupti cupti_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<DeviceClock> clock_;
  std::unique_ptr<ScriptedCall> call_;
};

TEST_F(CallTimerTest, every_kernel_runs_once_before_the_first_hold) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kDevice, .count = 1});
  ASSERT_TRUE(block) << block.error().what;
  EXPECT_EQ(script_.calls.front().what, "launch strobe_case");
  EXPECT_FALSE(script_.calls.front().is_held);
  std::size_t hold = 0;
  while (script_.calls[hold].what != "launch strobe_hold") ++hold;
  EXPECT_EQ(script_.calls[hold - 1].what, "synchronize");
}

TEST_F(CallTimerTest, gives_as_many_samples_as_asked_for_with_a_clock_each) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kDevice, .count = 20, .budget_ms = 1e9});
  ASSERT_TRUE(block);
  EXPECT_EQ(block->samples_us.size(), 20u);
  EXPECT_EQ(block->sm_mhz.size(), 20u);
  EXPECT_NEAR(block->samples_us[0], 11, 1e-3);
  EXPECT_EQ(script_.releases, 20);  // nothing is queued behind the timed call
}

TEST_F(CallTimerTest, a_spent_budget_still_gives_one_sample) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kDevice, .count = 500, .budget_ms = 0});
  ASSERT_TRUE(block);
  EXPECT_EQ(block->samples_us.size(), 1u);
}

TEST_F(CallTimerTest, a_hot_cache_is_left_by_the_call_itself) {
  CallTimer timer(*clock_, *call_, FlushKind::kHot);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 4}));
  EXPECT_EQ(script_.count("launch strobe_flush"), 0u);
  std::size_t hold = 0;
  while (script_.calls[hold].what != "launch strobe_hold") ++hold;
  EXPECT_EQ(script_.calls[hold + 1].what, "launch strobe_case");
  EXPECT_EQ(script_.calls[hold + 2].what, "event");
}

std::vector<std::string> from_the_window_on(const ScriptedDriver& script) {
  std::vector<std::string> words;
  for (const auto& call : script.calls) {
    if (!words.empty() || call.what == "window opens") words.push_back(call.what);
  }
  return words;
}

TEST_F(CallTimerTest, a_counted_call_is_the_last_of_its_window_and_nothing_holds_the_queue) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.run_counted());
  EXPECT_THAT(from_the_window_on(script_),
              ::testing::ElementsAre("window opens", "launch strobe_flush", "launch strobe_release",
                                     "launch strobe_flush", "synchronize", "window opens",
                                     "launch strobe_case", "synchronize", "window closes"));
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
}

TEST_F(CallTimerTest, a_counted_call_finds_the_cache_as_a_timed_one_does) {
  CallTimer hot(*clock_, *call_, FlushKind::kHot);
  ASSERT_TRUE(hot.run_counted());
  EXPECT_EQ(script_.count("launch strobe_flush"), 0u);
  EXPECT_EQ(from_the_window_on(script_).at(1), "launch strobe_case");  // leaves the cache hot

  CallTimer rotating(*clock_, *call_, FlushKind::kRotate);
  ASSERT_TRUE(rotating.run_counted());
  call_->sets_asked.clear();
  ASSERT_TRUE(rotating.run_counted());
  EXPECT_THAT(call_->sets_asked, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 0, 1));
}

TEST_F(CallTimerTest, a_call_that_fails_leaves_no_window_open) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.run_counted());
  script_.calls.clear();
  script_.failures["launch strobe_case"] = cu::kLaunchFailed;
  EXPECT_FALSE(timer.run_counted());
  EXPECT_EQ(script_.calls.back().what, "window closes");
}

TEST_F(CallTimerTest, rotation_takes_the_next_set_each_time_and_covers_twice_the_cache) {
  CallTimer timer(*clock_, *call_, FlushKind::kRotate);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 1}));
  call_->sets_asked.clear();
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 16}));
  EXPECT_THAT(call_->sets_asked,
              ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0));
  EXPECT_EQ(call_->written.size(), 8u);
  EXPECT_EQ(script_.count("launch strobe_flush"), 0u);
}

TEST_F(CallTimerTest, a_small_call_is_timed_in_many_places_by_turns) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 1}));
  EXPECT_EQ(call_->written.size(), 16u);
  EXPECT_THAT(call_->written, ::testing::Each(1));  // none runs for the first time in a held queue
  call_->sets_asked.clear();
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 18}));
  EXPECT_THAT(call_->sets_asked,
              ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2));
  EXPECT_EQ(CallTimer::places_for(64e6), 4u);
  EXPECT_EQ(CallTimer::places_for(200e6), 1u);
}

TEST_F(CallTimerTest, without_memory_for_more_one_place_will_do) {
  call_->has_no_room = true;
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 4}));
  EXPECT_THAT(call_->sets_asked, ::testing::Each(0));
}

TEST_F(CallTimerTest, sets_cover_twice_the_cache_and_one_is_enough_where_it_does_alone) {
  EXPECT_EQ(CallTimer::sets_to_cover(131072, 62914560), 960u);
  EXPECT_EQ(CallTimer::sets_to_cover(131073, 62914560), 960u);
  EXPECT_EQ(CallTimer::sets_to_cover(62914560, 62914560), 2u);
  EXPECT_EQ(CallTimer::sets_to_cover(125829120, 62914560), 1u);
  EXPECT_EQ(CallTimer::sets_to_cover(1e12, 62914560), 1u);
}

TEST_F(CallTimerTest, a_graph_has_twenty_calls_or_more_on_every_set_equally_often) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kGraph, .count = 3});
  ASSERT_TRUE(block) << block.error().what;
  std::size_t captured = 0;
  for (const auto& one : script_.calls) {
    captured += one.is_captured && one.what == "launch strobe_case" ? 1 : 0;
  }
  EXPECT_EQ(captured, 24u);  // 8 sets, 3 times
  EXPECT_EQ(block->samples_us.size(), 3u);
  // 24 calls of 10 us and an event of 1 us, a call.
  EXPECT_NEAR(block->samples_us[0], 241.0 / 24, 1e-3);
  EXPECT_THAT(timer.notes(), Contains(HasSubstr("graph: 24 calls on 8 sets of buffers, all written "
                                                "by a replay, 2.1 MB in all: 2.0 times the L2")));
}

TEST_F(CallTimerTest, a_graph_over_a_set_that_exceeds_the_cache_takes_no_more) {
  call_->bytes = 4 << 20;
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kGraph, .count = 1}));
  EXPECT_THAT(timer.notes(), Contains(HasSubstr("graph: 20 calls on 1 set of buffers")));
}

TEST_F(CallTimerTest, a_graph_that_leaves_a_set_unwritten_has_no_time) {
  call_->forgotten = 5;
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kGraph, .count = 1});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().what,
            "a graph of 24 calls wrote 7 of its 8 sets of buffers, so its times mean nothing");
}

TEST_F(CallTimerTest, a_graph_too_long_for_a_hold_is_timed_back_to_back_and_says_so) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kGraph, .count = 1}));
  script_.holds_that_time_out = 1;
  const auto block = timer.sample({.mode = TimeMode::kGraph, .count = 2});
  ASSERT_TRUE(block);
  EXPECT_EQ(block->samples_us.size(), 2u);
  EXPECT_THAT(timer.notes(), Contains(HasSubstr("replays were timed back to back")));
}

TEST_F(CallTimerTest, a_failed_capture_is_ended) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 1}));
  script_.failures["captured"] = 901;
  ASSERT_FALSE(timer.sample({.mode = TimeMode::kGraph, .count = 1}));
  EXPECT_FALSE(script_.calls.back().is_captured);
  script_.failures.clear();
  EXPECT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 1}));
}

TEST_F(CallTimerTest, a_call_is_timed_by_the_host_between_two_waits) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kCall, .count = 5});
  ASSERT_TRUE(block);
  EXPECT_EQ(block->samples_us.size(), 5u);
  EXPECT_TRUE(block->sm_mhz.empty());
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  const auto& calls = script_.calls;
  EXPECT_EQ(calls[calls.size() - 1].what, "synchronize");
  EXPECT_EQ(calls[calls.size() - 2].what, "launch strobe_case");
  EXPECT_EQ(calls[calls.size() - 3].what, "synchronize");
  EXPECT_EQ(calls[calls.size() - 4].what, "launch strobe_flush");
  EXPECT_THAT(timer.notes(), Contains(HasSubstr("call: queueing alone takes the host")));
}

TEST_F(CallTimerTest, an_activity_sample_is_the_calls_kernels_and_nothing_around_them) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kActivity, .count = 4});
  ASSERT_TRUE(block) << block.error().what;
  ASSERT_EQ(block->samples_us.size(), 4u);
  // The flush before each call takes 5 us and is not included, nor is an event's 1 us.
  for (const double us : block->samples_us) EXPECT_NEAR(us, 10, 2e-3);
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  EXPECT_FALSE(cupti_.is_on);
  const auto kernels = timer.recorded_kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "strobe_case");
  EXPECT_NEAR(*kernels[0].duration_us, 10, 2e-3);
}

TEST_F(CallTimerTest, other_modes_never_open_the_recorder) {
  script_.open_cupti = []() -> Result<CuptiApi> {
    ADD_FAILURE() << "it was not asked for";
    return CuptiApi{};
  };
  open_again();
  ScriptedCall call(*device_);
  CallTimer timer(*clock_, call, FlushKind::kCold);
  for (const TimeMode mode : {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall}) {
    ASSERT_TRUE(timer.sample({.mode = mode, .count = 1}));
  }
  EXPECT_TRUE(timer.recorded_kernels().empty());
}

TEST_F(CallTimerTest, without_a_recorder_the_activity_mode_says_what_is_missing) {
  script_.open_cupti = {};
  open_again();
  ScriptedCall call(*device_);
  CallTimer timer(*clock_, call, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kActivity, .count = 1});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code, ErrorCode::kMachineLacks);  // and not out of memory
  EXPECT_THAT(block.error().what, HasSubstr("there is no CUPTI on this machine (libcupti.so.13"));
  EXPECT_THAT(block.error().hint, HasSubstr("CUDA_HOME"));
}

TEST_F(CallTimerTest, a_recorder_that_sees_nothing_gives_no_time) {
  script_.on_time = {};
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  const auto block = timer.sample({.mode = TimeMode::kActivity, .count = 1});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().what, "CUPTI recorded no kernel of this call");
}

TEST_F(CallTimerTest, to_warm_up_nothing_is_held) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  for (const TimeMode mode : {TimeMode::kDevice, TimeMode::kGraph}) {
    const auto block = timer.sample({.mode = mode, .count = 20, .budget_ms = 1e9, .hold = false});
    ASSERT_TRUE(block) << block.error().what;
    EXPECT_EQ(block->samples_us.size(), 20u);
  }
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 1}));
  EXPECT_EQ(script_.count("launch strobe_hold"), 1u);
}

// A driver loads code at the first launch and waits for the device, so that launch must not be
// held.
TEST_F(CallTimerTest,
       whatever_is_launched_behind_a_hold_ran_before_it_in_every_state_of_the_cache) {
  for (const FlushKind flush :
       {FlushKind::kCold, FlushKind::kColdDirty, FlushKind::kRotate, FlushKind::kHot}) {
    script_.calls.clear();
    ScriptedCall call(*device_);
    CallTimer timer(*clock_, call, flush);
    ASSERT_TRUE(timer.sample({.mode = TimeMode::kDevice, .count = 16}));
    ASSERT_TRUE(timer.sample({.mode = TimeMode::kGraph, .count = 4}));
    std::set<std::string> seen = {"launch strobe_hold", "launch strobe_clock", "event"};
    for (const auto& one : script_.calls) {
      if (one.is_held) {
        EXPECT_TRUE(seen.contains(one.what)) << one.what;
      } else if (!one.is_captured) {
        seen.insert(one.what);
      }
    }
  }
}

TEST_F(CallTimerTest, a_call_that_waits_for_the_device_ends_after_a_second_and_says_so) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  script_.holds_that_time_out = 100;
  const auto block = timer.sample({.mode = TimeMode::kDevice, .count = 16});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(block.error().what, HasSubstr("more than 1 s to queue one call"));
  EXPECT_THAT(timer.notes(), Contains(HasSubstr("took more than 1 s to queue them")));
}

TEST_F(CallTimerTest, the_api_calls_are_those_of_one_call_and_not_of_waiting_for_it) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kCall, .count = 1}));
  const auto calls = timer.record_api_calls();
  ASSERT_TRUE(calls) << calls.error().what;
  EXPECT_THAT(*calls, ::testing::ElementsAre(ApiCall{"cuLaunchKernel", 1, 1.0}));
  EXPECT_TRUE(cupti_.call_kinds.empty());  // it is over
}

// The first pays for the recorder, another was interrupted.
TEST_F(CallTimerTest, the_api_calls_are_those_of_a_usual_call) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  ASSERT_TRUE(timer.sample({.mode = TimeMode::kCall, .count = 1}));
  cupti_.launch_us = {90, 2, 30, 3, 5, 4};
  const auto calls = timer.record_api_calls();
  ASSERT_TRUE(calls) << calls.error().what;
  EXPECT_THAT(*calls, ::testing::ElementsAre(ApiCall{"cuLaunchKernel", 1, 4.0}));
}

TEST_F(CallTimerTest, without_a_recorder_there_are_no_api_calls_and_the_reason_is_told) {
  script_.open_cupti = {};
  open_again();
  ScriptedCall call(*device_);
  CallTimer timer(*clock_, call, FlushKind::kCold);
  const auto calls = timer.record_api_calls();
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().code, ErrorCode::kMachineLacks);
  EXPECT_THAT(calls.error().what, HasSubstr("there is no CUPTI on this machine"));
}

TEST_F(CallTimerTest, the_modes_of_others_are_refused) {
  CallTimer timer(*clock_, *call_, FlushKind::kCold);
  EXPECT_FALSE(timer.sample({.mode = TimeMode::kCpu, .count = 1}));
}

}  // namespace
}  // namespace strobe::bench
