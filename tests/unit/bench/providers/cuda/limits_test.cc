#include "strobe/bench/providers/cuda/limits.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_cublaslt.h"
#include "tests/unit/bench/providers/cuda/scripted_cupti.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

class FloorsAndRoofs : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
    auto clock = DeviceClock::make(*device_);
    ASSERT_TRUE(clock);
    clock_ = std::move(*clock);
  }
  void open_again() {
    clock_.reset();
    device_ = script_.device();
    clock_ = std::move(*DeviceClock::make(*device_));
  }

  ScriptedDriver script_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<DeviceClock> clock_;
};

TEST_F(FloorsAndRoofs, floors_are_what_the_protocol_itself_costs) {
  script_.kernel_us = {{"strobe_empty", 0.75}};
  const auto floors = measure_cuda_floors(*clock_);
  ASSERT_TRUE(floors) << floors.error().what;
  // The scripted event takes 1 us, so a pair is 1 us apart and 1.75 around the kernel.
  EXPECT_NEAR(*floors->event_pair, 1, 1e-3);
  EXPECT_NEAR(*floors->empty_kernel_events, 1.75, 1e-3);
  EXPECT_NEAR(*floors->empty_kernel_graph, (100 * 0.75 + 1) / 100, 1e-3);
  EXPECT_GT(*floors->launch_call, 0);
  EXPECT_FALSE(floors->empty_kernel_record.has_value());
}

TEST_F(FloorsAndRoofs, the_empty_kernel_fills_the_device) {
  ASSERT_TRUE(measure_cuda_floors(*clock_));
  EXPECT_EQ(script_.blocks.at("strobe_empty"), 264u);  // 132 multiprocessors of 2048 threads
  script_.attributes[cu::kThreadsPerSm] = 1536;        // one and a half blocks: room for one
  open_again();
  ASSERT_TRUE(measure_cuda_floors(*clock_));
  EXPECT_EQ(script_.blocks.at("strobe_empty"), 132u);
}

TEST_F(FloorsAndRoofs, how_far_streams_lie_apart_is_told_and_all_goes_on_on_the_old_one) {
  const CuStream stream = device_->stream();
  const auto alike = measure_cuda_floors(*clock_);
  ASSERT_TRUE(alike);
  EXPECT_NEAR(*alike->stream_spread, 0, 1e-3);
  // The first is the device's own; 64 were made for the floors above.
  script_.stream_us = {{1, 9}, {70, 0.05}, {129, 0.2}};
  const auto floors = measure_cuda_floors(*clock_);
  ASSERT_TRUE(floors);
  EXPECT_NEAR(*floors->stream_spread, 0.2 + 0.05, 1e-3);  // the range, and the finest step in it
  EXPECT_EQ(device_->stream(), stream);
}

TEST_F(FloorsAndRoofs, the_device_keeps_its_stream_where_another_fails) {
  const CuStream stream = device_->stream();
  script_.on_call = [&](const std::string& what) {
    if (what == "elapsed" && device_->stream() != stream) script_.failures[what] = 719;
  };
  EXPECT_FALSE(measure_cuda_floors(*clock_));
  EXPECT_EQ(device_->stream(), stream);
}

TEST_F(FloorsAndRoofs, a_graph_is_replayed_on_a_device_at_rest_with_one_event_on_either_side) {
  ASSERT_TRUE(measure_cuda_floors(*clock_));
  const auto& calls = script_.calls;
  std::size_t timed = 0;
  for (std::size_t i = 1; i + 2 < calls.size(); ++i) {
    if (calls[i].what != "graph" || calls[i - 1].what != "event") continue;
    ++timed;
    EXPECT_FALSE(calls[i].is_held);
    EXPECT_EQ(calls[i + 1].what, "event");
    EXPECT_EQ(calls[i + 2].what, "synchronize");
  }
  EXPECT_EQ(timed, 50u);
}

TEST_F(FloorsAndRoofs, an_empty_kernel_is_as_long_as_the_device_recorded_it) {
  ScriptedCupti cupti;
  cupti.listen_to(script_);
  script_.open_cupti = [&]() -> Result<CuptiApi> { return cupti.api(); };
  script_.kernel_us = {{"strobe_empty", 1.25}};
  open_again();
  const auto floors = measure_cuda_floors(*clock_);
  ASSERT_TRUE(floors) << floors.error().what;
  ASSERT_TRUE(floors->empty_kernel_record.has_value());
  EXPECT_NEAR(*floors->empty_kernel_record, 1.25, 2e-3);
  EXPECT_FALSE(cupti.is_on);

  cupti.failures["enable"] = cupti::kMultipleSubscribers;
  const auto without = measure_cuda_floors(*clock_);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->empty_kernel_record.has_value());
  EXPECT_TRUE(without->launch_call.has_value());
}

TEST_F(FloorsAndRoofs, empty_kernels_are_launched_between_the_marks_of_a_recorder) {
  ASSERT_TRUE(run_empty_kernels_counted(*device_));
  std::vector<std::string> calls;
  for (const auto& one : script_.calls) calls.push_back(one.what);
  const auto mark = std::ranges::find(calls, "window opens");
  ASSERT_NE(mark, calls.end());
  EXPECT_EQ(std::count(calls.begin(), mark, "launch strobe_empty"), 1);  // loads it
  EXPECT_EQ(std::count(mark, calls.end(), "launch strobe_empty"), 20);
  EXPECT_EQ(std::count(mark, calls.end(), "window opens"), 2);
  EXPECT_EQ(
      std::count(std::ranges::find(calls, "window closes"), calls.end(), "launch strobe_empty"), 0);
  EXPECT_EQ(std::ranges::count(calls, "window closes"), 1);

  script_.failures["launch strobe_empty"] = 719;
  EXPECT_FALSE(run_empty_kernels_counted(*device_));
}

TEST_F(FloorsAndRoofs, the_first_launch_of_a_kernel_is_never_held) {
  script_.calls.clear();
  script_.free_bytes = std::size_t{48} << 20;
  ASSERT_TRUE(measure_cuda_floors(*clock_));
  ASSERT_TRUE(measure_cuda_roofs(*clock_));
  std::map<std::string, bool> first;
  for (const auto& one : script_.calls) {
    if (one.what.starts_with("launch ") && one.what != "launch strobe_hold") {
      first.emplace(one.what, one.is_held);
    }
  }
  EXPECT_GT(first.size(), 10u);
  first.erase("launch strobe_clock");  // ran when the clock was made
  for (const auto& [what, is_held] : first) EXPECT_FALSE(is_held) << what;
}

TEST_F(FloorsAndRoofs, roofs_are_those_of_the_best_kernel) {
  script_.free_bytes = std::size_t{100} << 20;  // 32 MiB twice fit with room to spare
  script_.kernel_us = {
      {"strobe_copy_4", 30}, {"strobe_read_8", 20}, {"strobe_write_streamed_4", 25}};
  for (const char* slow : {"strobe_copy_2", "strobe_copy_8", "strobe_copy_streamed_2",
                           "strobe_copy_streamed_4", "strobe_copy_streamed_8", "strobe_read_4",
                           "strobe_read_16", "strobe_write_2", "strobe_write_4"}) {
    script_.kernel_us[slow] = 100;
  }
  const auto roofs = measure_cuda_roofs(*clock_);
  ASSERT_TRUE(roofs) << roofs.error().what;
  constexpr double kBytes = 32 << 20;
  EXPECT_NEAR(*roofs->copy_gbps, 2 * kBytes / 31e-6 / 1e9, 1);  // and an event's 1 us
  EXPECT_NEAR(*roofs->read_gbps, kBytes / 21e-6 / 1e9, 1);
  EXPECT_NEAR(*roofs->write_gbps, kBytes / 26e-6 / 1e9, 1);
  EXPECT_FALSE(roofs->gemm_tflops.has_value());
}

TEST(GemmRoof, is_the_fastest_algorithms_rate_on_filled_matrices) {
  ScriptedDriver script;
  ScriptedCublasLt library(script.api());
  script.kernel_us = {{"gemm_11", 100}, {"gemm_12", 49}, {"gemm_13", 80}};
  const auto session = std::make_shared<CudaSession>(script.device());
  VendorLibraries libraries(
      {.cublaslt = [&](int) -> Result<CublasLtApi> { return library.api(); }, .cudnn = {}});
  const auto tflops = measure_gemm_tflops(session, libraries);
  ASSERT_TRUE(tflops) << tflops.error().what;
  // 2 * 2048^3 in 50 us: 49 of the kernel and 1 of the event.
  EXPECT_NEAR(*tflops, 2.0 * 2048 * 2048 * 2048 / 50 / 1e6, 1);
  EXPECT_EQ(script.count("launch strobe_fill"), 2u);
}

TEST(GemmRoof, a_single_algorithm_is_timed_too) {
  ScriptedDriver script;
  ScriptedCublasLt library(script.api());
  library.proposals = ScriptedCublasLt::proposed({11});
  script.kernel_us = {{"gemm_11", 99}};
  const auto session = std::make_shared<CudaSession>(script.device());
  VendorLibraries libraries(
      {.cublaslt = [&](int) -> Result<CublasLtApi> { return library.api(); }, .cudnn = {}});
  const auto tflops = measure_gemm_tflops(session, libraries);
  ASSERT_TRUE(tflops) << tflops.error().what;
  EXPECT_NEAR(*tflops, 2.0 * 2048 * 2048 * 2048 / 100 / 1e6, 1);  // 99 us and the event's 1
}

}  // namespace
}  // namespace strobe::bench
