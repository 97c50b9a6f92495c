#include "strobe/bench/providers/cuda/call_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/bench/providers/cuda/scripted_driver.h"

namespace strobe::bench {
namespace {

// A driver whose graphs hold a kernel with a function, a fill and a kernel of a library.
DriverApi telling(ScriptedDriver& script) {
  DriverApi api = script.api();
  api.graph_nodes = [](CuGraph, CuGraphNode* nodes, std::size_t* count) {
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i) {
      nodes[i] = reinterpret_cast<CuGraphNode>(i + 1);
    }
    *count = 3;
    return cu::kSuccess;
  };
  api.graph_node_type = [](CuGraphNode node, int* type) {
    *type = node == reinterpret_cast<CuGraphNode>(2) ? 2 : cu::kKernelNode;
    return cu::kSuccess;
  };
  api.graph_kernel_node = [](CuGraphNode node, cu::KernelNode* kernel) {
    if (node == reinterpret_cast<CuGraphNode>(1)) {
      kernel->function = reinterpret_cast<CuFunction>(1);
    } else {
      kernel->kernel = reinterpret_cast<CuKernel>(1);
    }
    kernel->grid[0] = 132;
    kernel->block[0] = 384;
    kernel->shared_bytes = 1024;
    return cu::kSuccess;
  };
  api.function_name = [](const char** name, CuFunction) {
    *name = "nvjet_hsh_128x256";
    return cu::kSuccess;
  };
  api.kernel_name = [](const char** name, CuKernel) {
    *name = "splitKreduce_kernel";
    return cu::kSuccess;
  };
  return api;
}

TEST(CapturedKernels, the_librarys_own_kernels_are_named_with_their_shapes) {
  ScriptedDriver script;
  const auto device = CudaDevice::open(telling(script), script.nvrtc(), {});
  ASSERT_TRUE(device);
  bool was_captured = false;
  const auto launches = captured_kernels(**device, [&]() -> Result<void> {
    was_captured = script.calls.back() == "capture";
    return {};
  });
  EXPECT_TRUE(was_captured);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].name, "nvjet_hsh_128x256");
  EXPECT_EQ(launches[0].grid[0], 132);
  EXPECT_EQ(launches[0].block[0], 384);
  EXPECT_EQ(launches[0].registers, 32);
  EXPECT_EQ(launches[1].name, "splitKreduce_kernel");
}

TEST(CapturedKernels, a_driver_that_cannot_tell_is_asked_nothing) {
  ScriptedDriver script;
  const auto device = script.device();
  EXPECT_TRUE(captured_kernels(*device, [] { return Result<void>(); }).empty());
  EXPECT_EQ(script.count("capture"), 0u);
}

TEST(CapturedKernels, a_call_that_fails_leaves_no_capture_open) {
  ScriptedDriver script;
  const auto device = CudaDevice::open(telling(script), script.nvrtc(), {});
  const auto launches = captured_kernels(**device, []() -> Result<void> {
    return Error{.code = ErrorCode::kMalformed, .what = "no", .where = "", .hint = ""};
  });
  EXPECT_TRUE(launches.empty());
  EXPECT_EQ(script.count("captured"), 1u);
}

KernelLaunch kernel(const char* name, std::int64_t blocks, std::optional<double> us = {}) {
  return {.name = name, .grid = {blocks, 1, 1}, .duration_us = us};
}

TEST(KernelTimes, each_kernel_of_a_call_has_a_median_of_its_own) {
  KernelTimes times;
  EXPECT_TRUE(times.medians().empty());
  for (const double us : {3.0, 1.0, 2.0}) {
    times.add(std::vector{kernel("a", 1, us), kernel("b", 2, 10 * us)});
  }
  const auto medians = times.medians();
  ASSERT_EQ(medians.size(), 2u);
  EXPECT_EQ(medians[0].duration_us, 2.0);
  EXPECT_EQ(medians[1].name, "b");
  EXPECT_EQ(medians[1].duration_us, 20.0);
}

TEST(KernelTimes, a_call_of_other_kernels_is_passed_over) {
  KernelTimes times;
  times.add(std::vector{kernel("a", 1, 1.0)});
  times.add(std::vector{kernel("a", 7, 100.0)});
  times.add(std::vector{kernel("a", 1, 100.0), kernel("b", 1, 1.0)});
  EXPECT_EQ(times.medians().at(0).duration_us, 1.0);
}

TEST(KernelTimes, a_call_lasts_as_long_as_its_kernels_together) {
  EXPECT_EQ(sum_us(std::vector{kernel("a", 1, 1.5), kernel("b", 1, 2.0)}), 3.5);
}

TEST(WithDurations, launches_keep_their_names_and_take_the_times) {
  const auto timed = with_durations({kernel("ours", 4)}, {kernel("_Z4oursv", 4, 2.5)});
  EXPECT_EQ(timed.at(0).name, "ours");
  EXPECT_EQ(timed.at(0).duration_us, 2.5);
}

TEST(WithDurations, without_a_recording_nothing_changes_and_of_other_kernels_it_is_right) {
  EXPECT_FALSE(with_durations({kernel("ours", 4)}, {}).at(0).duration_us.has_value());
  const auto real = with_durations({kernel("cublasLtMatmul", 1)},
                                   {kernel("gemm", 8, 5.0), kernel("reduce", 2, 1.0)});
  ASSERT_EQ(real.size(), 2u);
  EXPECT_EQ(real[0].name, "gemm");
}

}  // namespace
}  // namespace strobe::bench
