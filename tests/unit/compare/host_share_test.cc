#include "strobe/compare/host_share.h"

#include <gtest/gtest.h>

#include "tests/support/cause_sketch.h"

namespace strobe::compare {
namespace {

TEST(HostShareTest, is_what_the_devices_own_work_leaves_of_a_cycle) {
  const CauseSketch sketch = CauseSketch(10, 10).device("GPU 0", 6, 8).kernel("gemm", 6, 8);
  const OwnWork work = longest_work(sketch.comparison());
  EXPECT_NEAR(work.normal_ms, 6, 1e-6);
  const HostShares shares = host_shares(sketch.comparison(), work);
  EXPECT_NEAR(shares.normal, 0.4, 1e-6);
  EXPECT_NEAR(shares.abnormal, 0.2, 1e-6);
}

TEST(HostShareTest, works_of_several_streams_are_no_more_than_the_device_is_busy) {
  const CauseSketch sketch =
      CauseSketch(10, 10).device("GPU 0", 6, 6).kernel("gemm", 5, 5).kernel("copy", 4, 4);
  EXPECT_NEAR(longest_work(sketch.comparison()).normal_ms, 6, 1e-6);
}

// A collective waits for other devices; one that is hidden behind a kernel takes no time from it.
TEST(HostShareTest, a_collective_is_not_own_work) {
  CauseSketch sketch = CauseSketch(10, 10).device("GPU 0", 9, 9).kernel("gemm", 5, 5);
  sketch.function("ncclAllReduce", FunctionKind::kCollective, 8, 8);
  EXPECT_NEAR(longest_work(sketch.comparison()).normal_ms, 5, 1e-6);
}

TEST(HostShareTest, without_a_device_all_of_a_cycle_is_the_hosts) {
  CauseSketch sketch(10, 10);
  std::erase_if(sketch.edit().devices, [](const DeviceRow& row) { return row.device != "Host"; });
  const OwnWork work = longest_work(sketch.comparison());
  EXPECT_EQ(work.device, nullptr);
  const HostShares shares = host_shares(sketch.comparison(), work);
  EXPECT_EQ(shares.normal, 1);
  EXPECT_EQ(stretchable_share(sketch.comparison(), work, shares, {}), 1);
}

double stretchable(const CauseSketch& sketch, HostLeads leads = {}) {
  const OwnWork work = longest_work(sketch.comparison());
  const HostShares shares = host_shares(sketch.comparison(), work);
  return stretchable_share(sketch.comparison(), work, shares, leads);
}

TEST(HostShareTest, a_slower_host_stretches_all_but_its_waits) {
  const auto sketch = [] { return CauseSketch(10, 10).device("GPU 0", 6, 6).kernel("gemm", 6, 6); };
  EXPECT_NEAR(stretchable(sketch()), 1, 1e-9);
  EXPECT_NEAR(stretchable(sketch().call("cudaStreamSynchronize", 3, 3)), 0.7, 1e-3);
  EXPECT_NEAR(stretchable(sketch().call("cudaStreamSynchronize", 8, 8)), 0.4, 1e-3)
      << "the device has nothing to do then";
}

TEST(HostShareTest, a_host_that_is_ahead_stretches_only_what_the_device_leaves) {
  const auto sketch = CauseSketch(10, 12).device("GPU 0", 6, 6).kernel("gemm", 6, 6);
  EXPECT_NEAR(stretchable(sketch, {.normal = true, .abnormal = true}), 0.5, 1e-6);
  EXPECT_NEAR(stretchable(sketch, {.normal = true, .abnormal = false}), 1, 1e-6)
      << "a slower one falls behind";
}

}  // namespace
}  // namespace strobe::compare
