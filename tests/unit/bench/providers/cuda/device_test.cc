#include "strobe/bench/providers/cuda/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

using ::testing::HasSubstr;

TEST(CudaDevice, a_driver_without_a_gpu_is_told_apart_from_no_driver) {
  ScriptedDriver script;
  script.failures["count"] = cu::kNoDevice;
  const auto device = CudaDevice::open(script.api(), script.nvrtc(), {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(device.error().what, "the CUDA driver sees no GPU");
  EXPECT_THAT(device.error().hint, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST(CudaDevice, a_driver_that_does_not_start_is_named_by_its_error) {
  ScriptedDriver script;
  script.failures["init"] = cu::kSystemNotReady;
  const auto device = CudaDevice::open(script.api(), script.nvrtc(), {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().what, "the CUDA driver does not start: CUDA_ERROR_OF_A_TEST (802)");
  EXPECT_THAT(device.error().hint, HasSubstr("fabric manager"));
}

TEST(CudaDevice, its_facts_are_the_drivers) {
  ScriptedDriver script;
  const auto device = script.device();
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->name(), "Scripted GPU");
  EXPECT_EQ(device->chip().compute_capability, 90);
  EXPECT_EQ(device->chip().sm_count, 132);
  EXPECT_EQ(device->chip().l2_bytes, 1 << 20);
  // 6016 bit at 3.201 GHz, twice a cycle: 2 * 3.201e9 * 752 bytes.
  EXPECT_NEAR(device->facts().at("bandwidth_gbps"), 4814.3, 0.1);
  EXPECT_EQ(device->facts().at("sm_count"), 132);
  EXPECT_EQ(device->driver_text(), "driver of CUDA 13.0");
  EXPECT_EQ(device->compiler_text(), "NVRTC 13.0");
}

TEST(CudaDevice, memory_that_is_not_there_is_a_lack_of_the_machine_with_its_bytes) {
  ScriptedDriver script;
  const auto device = script.device();
  script.free_bytes = 1000;
  const auto memory = device->allocate(17179869184, "tensors");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(memory.error().what,
            "the GPU has no room for 17179869184 bytes of tensors (1000 bytes are free)");
  EXPECT_EQ(memory.error().hint, "CUDA_ERROR_OUT_OF_MEMORY (2)");
  EXPECT_FALSE(device->is_lost());
}

TEST(CudaDevice, memory_goes_back_at_the_end) {
  ScriptedDriver script;
  const std::size_t before = script.free_bytes;
  {
    const auto device = script.device();
    const auto memory = device->allocate(4096, "tensors");
    ASSERT_TRUE(memory);
    EXPECT_EQ(script.free_bytes, before - 4096);
  }
  EXPECT_EQ(script.free_bytes, before);
  EXPECT_EQ(script.count("release context"), 1u);
}

TEST(CudaDevice, after_an_error_that_loses_the_context_every_call_gives_that_error) {
  ScriptedDriver script;
  const auto device = script.device();
  script.failures["synchronize"] = cu::kIllegalAddress;
  const auto first = device->synchronize();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().what,
            "cuStreamSynchronize gives CUDA_ERROR_ILLEGAL_ADDRESS (700) while waiting for the "
            "kernels");
  EXPECT_THAT(first.error().hint, HasSubstr("context is lost"));
  EXPECT_EQ(first.error().code, ErrorCode::kMalformed);
  EXPECT_TRUE(device->is_lost());
  script.failures.clear();
  const auto second = device->fill_bytes(0, 0, 0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, first.error().what);
}

TEST(CudaDevice, shared_memory_beyond_48_kb_and_large_clusters_are_asked_for) {
  ScriptedDriver script;
  const auto device = script.device();
  const std::vector<char> image = {'x'};
  LaunchShape shape;
  shape.shared_bytes = 48 * 1024;
  shape.cluster = 8;
  ASSERT_TRUE(device->load(image, "strobe_a", shape));
  EXPECT_TRUE(script.function_settings.empty());
  shape.shared_bytes = 200 * 1024;
  shape.cluster = 16;
  const auto kernel = device->load(image, "strobe_a", shape);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(script.function_settings.at(cu::kMostDynamicShared), 200 * 1024);
  EXPECT_EQ(script.function_settings.at(cu::kNonPortableClusters), 1);
  ASSERT_TRUE(device->launch(*kernel, shape, {}));
  EXPECT_EQ(script.cluster, 16u);
}

TEST(CudaDevice, the_driver_says_how_many_clusters_have_place) {
  ScriptedDriver script;
  const auto device = script.device();
  LaunchShape shape;
  shape.cluster = 8;
  const auto kernel = device->load(std::vector<char>{'x'}, "strobe_a", shape);
  ASSERT_TRUE(kernel);
  script.clusters_at_once = 30;
  const auto places = device->clusters_at_once(*kernel, shape);
  ASSERT_TRUE(places);
  EXPECT_EQ(*places, 30u);
  script.clusters_at_once = 0;
  const auto none = device->clusters_at_once(*kernel, shape);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("a cluster of 8 blocks of strobe_a does not fit"));
}

TEST(CudaDevice, a_driver_without_clusters_says_so) {
  ScriptedDriver script;
  DriverApi api = script.api();
  api.launch_ex = nullptr;
  api.clusters_at_once = nullptr;
  const auto device = CudaDevice::open(api, script.nvrtc(), {});
  ASSERT_TRUE(device);
  const auto kernel = (*device)->load(std::vector<char>{'x'}, "strobe_a", {});
  ASSERT_TRUE(kernel);
  LaunchShape shape;
  shape.cluster = 2;
  const auto launched = (*device)->launch(*kernel, shape, {});
  ASSERT_FALSE(launched);
  EXPECT_THAT(launched.error().what, HasSubstr("cuLaunchKernelEx is missing"));
  const auto places = (*device)->clusters_at_once(*kernel, shape);
  ASSERT_FALSE(places);
  EXPECT_THAT(places.error().what, HasSubstr("cuOccupancyMaxActiveClusters is missing"));
}

TEST(CudaDevice, without_a_compiler_the_machine_lacks_one_and_is_not_out_of_memory) {
  ScriptedDriver script;
  const Error missing = {
      .code = ErrorCode::kMachineLacks, .what = "no compiler", .where = "", .hint = "install one"};
  const auto device = CudaDevice::open(script.api(), missing, {});
  ASSERT_TRUE(device);
  const auto code = (*device)->compile("", "strobe_a");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(code.error().what, "no compiler");
  EXPECT_FALSE((*device)->has_compiler());
}

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
