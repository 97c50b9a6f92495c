#include "strobe/analysis/tables/modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

constexpr auto kForward = SliceKind::kForward;

TEST(ModulesTest, calls_of_one_module_from_one_place_are_one_row) {
  Sketch sketch;
  std::uint32_t id = 0;
  for (std::int64_t start_ns : {0, 1'000}) {
    sketch.thread(1).slice("nn.Module: Net_0", kForward, start_ns, 100).flags(kModule);
    sketch.slice("forward", SliceKind::kPythonCall, start_ns + 5, 90);
    sketch.slice("nn.Module: Linear_0", kForward, start_ns + 10, 30).flags(kModule);
    sketch.slice("op", SliceKind::kOperator, start_ns + 12, 20);
    sketch.slice("call", SliceKind::kRuntimeCall, start_ns + 15, 5).correlation(++id);
    sketch.stream(0, 7).slice("k", SliceKind::kKernel, start_ns + 40, 7).correlation(id);
    sketch.thread(1).slice("nn.Module: Linear_1", kForward, start_ns + 50, 20).flags(kModule);
    sketch.slice("call", SliceKind::kRuntimeCall, start_ns + 80, 5).correlation(++id);
    sketch.stream(0, 7).slice("k", SliceKind::kKernel, start_ns + 90, 3).correlation(id);
  }
  const Trace trace = sketch.trace();
  const auto modules = list_modules(attribute_trace(trace));
  ASSERT_EQ(modules.size(), 1u);
  const ModuleRow& net = modules[0];
  EXPECT_EQ(net.name, "Net_0");
  EXPECT_EQ(net.calls, 2u);
  EXPECT_EQ(net.host_ns, 200);
  EXPECT_EQ(net.host_self_ns, 100);
  EXPECT_EQ(net.device_ns, 20);
  EXPECT_EQ(net.device_self_ns, 6);
  EXPECT_EQ(net.first, SliceId(0));
  ASSERT_EQ(net.children.size(), 2u);
  EXPECT_EQ(net.children[0].name, "Linear_0");
  EXPECT_EQ(net.children[0].calls, 2u);
  EXPECT_EQ(net.children[0].device_ns, 14);
  EXPECT_EQ(net.children[1].name, "Linear_1");
}

TEST(ModulesTest, the_same_module_from_two_places_is_two_rows) {
  Sketch sketch;
  sketch.slice("nn.Module: A", kForward, 0, 100).flags(kModule);
  sketch.slice("nn.Module: Shared", kForward, 10, 10).flags(kModule);
  sketch.slice("nn.Module: B", kForward, 200, 100).flags(kModule);
  sketch.slice("nn.Module: Shared", kForward, 210, 10).flags(kModule);
  const Trace trace = sketch.trace();
  const auto modules = list_modules(attribute_trace(trace));
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].children.size(), 1u);
  EXPECT_EQ(modules[1].children.size(), 1u);
}

TEST(ModulesTest, calls_that_cross_count_once) {
  Sketch sketch;
  sketch.slice("nn.Module: Net", kForward, 0, 100).flags(kModule);
  sketch.slice("nn.Module: A", kForward, 10, 70).flags(kModule);
  sketch.slice("nn.Module: B", kForward, 20, 75).flags(kModule);
  sketch.slice("nn.Module: B", kForward, 90, 8).flags(kModule);
  const Trace trace = sketch.trace();
  const auto modules = list_modules(attribute_trace(trace));
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].host_self_ns, 100 - (98 - 10));
  ASSERT_EQ(modules[0].children.size(), 2u);
  EXPECT_EQ(modules[0].children[0].host_ns, 70);
  EXPECT_EQ(modules[0].children[1].host_ns, 98 - 20);
}

TEST(ModulesTest, the_same_time_on_two_threads_counts_on_both) {
  Sketch sketch;
  sketch.thread(1).slice("nn.Module: A", kForward, 0, 100).flags(kModule);
  sketch.thread(2).slice("nn.Module: A", kForward, 50, 100).flags(kModule);
  const Trace trace = sketch.trace();
  EXPECT_EQ(list_modules(attribute_trace(trace))[0].host_ns, 200);
}

TEST(ModulesTest, a_trace_without_modules_has_no_tree) {
  const Trace trace = Sketch().slice("Net.forward", kForward, 0, 100).trace();
  EXPECT_TRUE(list_modules(attribute_trace(trace)).empty());
}

}  // namespace
}  // namespace strobe::analysis
