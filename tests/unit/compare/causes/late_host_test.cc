#include "strobe/compare/causes/late_host.h"

#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

TEST(LateHost, explains_a_share_of_a_longer_cycle_only) {
  const Change two = change_between(CauseSketch::around(1), CauseSketch::around(3));
  EXPECT_NEAR(explained_share(CauseSketch(10, 14).symptoms(), two), 0.5, 0.01);
  EXPECT_EQ(explained_share(CauseSketch(10, 10).symptoms(), two), 0);
  EXPECT_EQ(explained_share(CauseSketch(10, 8).symptoms(), two), 0);
}

TEST(LateHost, the_device_that_waits_longer_tells_it) {
  const auto sketch = CauseSketch(10, 14).device("GPU 0", 5, 5).device("GPU 1", 5, 8);
  const Symptoms symptoms = sketch.symptoms();
  ASSERT_NE(longest_gap(symptoms), nullptr);
  EXPECT_NEAR(longest_gap(symptoms)->difference(), 4, 0.01);
  EXPECT_TRUE(gaps_grew(symptoms));
  EXPECT_TRUE(host_takes_longer(symptoms));
}

TEST(LateHost, is_not_late_where_the_device_waits_as_long_as_before) {
  const auto sketch = CauseSketch(10, 14).device("GPU 0", 5, 9);
  const Symptoms symptoms = sketch.symptoms();
  Cause cause;
  EXPECT_FALSE(add_late_host(symptoms, cause));
  EXPECT_TRUE(cause.evidence.empty());
  EXPECT_TRUE(mentions(cause.against, "the device does not wait longer for the host"));
}

TEST(LateHost, the_idle_time_is_what_it_costs) {
  const auto sketch = CauseSketch(10, 14).device("GPU 0", 5, 5);
  const Symptoms symptoms = sketch.symptoms();
  Cause cause;
  EXPECT_TRUE(add_late_host(symptoms, cause));
  EXPECT_TRUE(mentions(cause.evidence, "device idle: 5.00 -> 9.00 ms per cycle"));
  EXPECT_NEAR(cause.explains_ms, 4, 0.01);
}

TEST(LateHost, never_waits_where_the_cycle_is_its_own_time) {
  auto sketch =
      CauseSketch(10, 14).device("GPU 0", 9, 13).device("Host", 9, 13).device("GPU 0", 9, 13);
  sketch.outlasts_both();
  const Symptoms symptoms = sketch.symptoms();
  Cause cause;
  EXPECT_TRUE(add_late_host(symptoms, cause));
  EXPECT_TRUE(mentions(cause.evidence, "the host waits for the device in neither run"));
  ASSERT_NE(host_delay(symptoms), nullptr);
  EXPECT_NEAR(host_delay(symptoms)->difference(), 4, 0.01);
}

// Thirty launches of 0.1 ms become 50, or 10; the device works as long as before.
CauseSketch launching(double cycle_ms, double calls) {
  return CauseSketch(10, cycle_ms)
      .device("GPU 0", 5, 5)
      .call("cudaLaunchKernel", 3, 0.15 * calls)
      .calls(30, calls);
}

double idle_by_launching_ms(const CauseSketch& sketch) {
  const Symptoms symptoms = sketch.symptoms();
  return strobe::compare::idle_by_launching_ms(symptoms, symptoms.devices.front());
}

TEST(IdleByLaunching, added_calls_take_as_long_as_the_others_did) {
  EXPECT_NEAR(idle_by_launching_ms(launching(14, 50)), 2, 0.01);
  EXPECT_NEAR(idle_by_launching_ms(launching(7, 10)), -2, 0.01);
}

TEST(IdleByLaunching, is_no_more_than_the_device_is_idle_longer) {
  EXPECT_NEAR(idle_by_launching_ms(launching(10.5, 50)), 0.5, 0.01);
  EXPECT_EQ(idle_by_launching_ms(launching(8, 50)), 0) << "a host that is ahead";
}

TEST(IdleByLaunching, calls_that_only_take_longer_add_nothing) {
  EXPECT_EQ(idle_by_launching_ms(launching(14, 30)), 0);
}

TEST(IdleByLaunching, calls_of_another_kind_take_as_long_as_they_do) {
  const auto sketch = CauseSketch(10, 16)
                          .device("GPU 0", 5, 5)
                          .call("cudaGraphLaunch", 1, 0)
                          .calls(1, 0)
                          .call("cudaLaunchKernel", 0, 4)
                          .calls(0, 40);
  EXPECT_NEAR(idle_by_launching_ms(sketch), 3, 0.01);
}

}  // namespace
}  // namespace strobe::compare
