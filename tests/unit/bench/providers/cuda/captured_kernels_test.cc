#include "strobe/bench/providers/cuda/captured_kernels.h"

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

}  // namespace
}  // namespace strobe::bench
