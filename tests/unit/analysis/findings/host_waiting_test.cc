#include "strobe/analysis/findings/host_waiting.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

RuntimeCalls runtime_calls_of(const Trace& trace) {
  RuntimeCalls calls;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    if (trace.kind(slice) != SliceKind::kRuntimeCall) continue;
    calls.add(trace, slice, device::runtime_call(trace.name(slice)));
  }
  calls.sort();
  return calls;
}

TEST(RuntimeCallsTest, work_finds_the_last_call_of_its_number) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("xLaunchKernel", kCall, 0_us, 5_us)
                          .correlation(9)
                          .slice("xMemcpyAsync", kCall, 10_us, 5_us)
                          .correlation(4)
                          .slice("xLaunchKernel", kCall, 20_us, 5_us)
                          .correlation(9)
                          .stream(0, 7)
                          .slice("a", kKernel, 30_us, 5_us)
                          .correlation(9)
                          .slice("b", kKernel, 40_us, 5_us)
                          .correlation(5)
                          .slice("c", kKernel, 50_us, 5_us)
                          .trace();
  const RuntimeCalls calls = runtime_calls_of(trace);
  EXPECT_EQ(calls.call_of(trace, SliceId(3)), SliceId(2));
  EXPECT_FALSE(calls.call_of(trace, SliceId(4)).valid());
  EXPECT_FALSE(calls.call_of(trace, SliceId(5)).valid());
}

// Two launching threads wait at once, a third only watches.
TEST(HostWaitingTest, waits_of_launching_threads_count_once) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("xLaunchKernel", kCall, 0_us, 5_us)
                          .slice("xStreamSynchronize", kCall, 100_us, 100_us)
                          .thread(2)
                          .slice("xLaunchKernel", kCall, 0_us, 5_us)
                          .slice("xDeviceSynchronize", kCall, 150_us, 200_us)
                          .slice("xMemcpyAsync", kCall, 400_us, 150_us)
                          .slice("xMemcpyAsync", kCall, 600_us, 150_us)
                          .thread(3)
                          .slice("xEventSynchronize", kCall, 0_us, 900_us)
                          .trace();
  const HostWaiting waiting = measure_waiting(
      trace, {}, runtime_calls_of(trace), {{100_us, 300_us}, {400_us, 500_us}}, {{0_us, 320_us}});
  EXPECT_EQ(waiting.inside_ns, 220_us);
  EXPECT_EQ(waiting.outside_ns, 30_us + 150_us) << "the copy beside an idle device is no wait";
  EXPECT_EQ(waiting.device_idle_ns, 20_us) << "inside, as the time that it is a part of";
  EXPECT_EQ(waiting.calls, 2u);
  EXPECT_EQ(waiting.longest, "xDeviceSynchronize");
}

// The device runs dry in a wait at 100 us; the gap at 300 us comes without one.
TEST(QueueDrainsTest, gaps_that_begin_in_a_wait_are_drained) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("aten::item", kOp, 40_us, 70_us)
                          .slice("xStreamSynchronize", kCall, 50_us, 52_us)
                          .slice("xLaunchKernel", kCall, 190_us, 5_us)
                          .correlation(1)
                          .slice("xLaunchKernel", kCall, 390_us, 5_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("b", kKernel, 200_us, 100_us)
                          .correlation(1)
                          .slice("c", kKernel, 400_us, 100_us)
                          .correlation(2)
                          .trace();
  const RuntimeCalls calls = runtime_calls_of(trace);
  const HostWaiting waiting = measure_waiting(
      trace, {}, calls, {{0, 100_us}, {200_us, 300_us}, {400_us, 500_us}}, {{0, 500_us}});
  const std::vector<DeviceGap> gaps = {{{100_us, 200_us}, 100_us, SliceId(4)},
                                       {{300_us, 400_us}, 100_us, SliceId(5)}};
  const QueueDrains drains = measure_drains(trace, {}, calls, waiting, gaps, 500_us);
  EXPECT_EQ(drains.gaps, 1u);
  EXPECT_EQ(drains.idle_ns, 100_us);
  EXPECT_EQ(drains.waited_ns, 52_us);
  EXPECT_EQ(drains.call, "xStreamSynchronize");
  EXPECT_EQ(drains.inside, "aten::item");
  EXPECT_EQ(measure_drains(trace, {}, calls, waiting, gaps, 500_ms).call, "") << "too little";
}

}  // namespace

}  // namespace strobe::analysis
