#include "strobe/bench/providers/cuda/recorder_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_driver.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;

class RecorderWindow : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = script_.device();
    ASSERT_NE(device_, nullptr);
    script_.calls.clear();
  }
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (const auto& one : script_.calls) calls.push_back(one.what);
    return calls;
  }
  auto saying(const std::string& word) {
    return [this, word]() -> Result<void> {
      script_.calls.push_back({.what = word});
      return {};
    };
  }
  ScriptedDriver script_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(RecorderWindow, what_precedes_the_second_mark_does_not_count) {
  ASSERT_TRUE(run_in_window(*device_, saying("prepare"), saying("counted")));
  EXPECT_THAT(calls(), ElementsAre("synchronize", "window opens", "prepare", "synchronize",
                                   "window opens", "counted", "synchronize", "window closes"));
}

TEST_F(RecorderWindow, a_failure_closes_it) {
  const auto failing = []() -> Result<void> {
    return Error{ErrorCode::kMalformed, "no such kernel", "", ""};
  };
  const auto ran = run_in_window(*device_, saying("prepare"), failing);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().what, "no such kernel");
  EXPECT_EQ(calls().back(), "window closes");
  script_.calls.clear();
  EXPECT_FALSE(run_in_window(*device_, failing, saying("counted")));
  EXPECT_THAT(calls(), ElementsAre("synchronize", "window opens", "synchronize", "window closes"));
}

TEST_F(RecorderWindow, a_driver_without_marks_is_told) {
  DriverApi api = script_.api();
  api.profiler_start = nullptr;
  auto device = CudaDevice::open(std::move(api), script_.nvrtc(), {});
  ASSERT_TRUE(device);
  const auto ran = run_in_window(**device, saying("prepare"), saying("counted"));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, ErrorCode::kTooLittleData);
  EXPECT_THAT(calls(), ::testing::Not(::testing::Contains("counted")));
}

}  // namespace
}  // namespace strobe::bench
