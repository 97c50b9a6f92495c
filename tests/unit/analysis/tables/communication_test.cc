#include "strobe/analysis/tables/communication.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

TEST(CommunicationTest, collective_kernels_communicate_and_others_compute) {
  const Trace trace = Sketch()
                          .slice("op", kOp, 0_us, 20_us)
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 3_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("gemm", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .stream(0, 8)
                          .slice("all_reduce", kKernel, 36_us, 10_us)
                          .correlation(2)
                          .flags(kCommunicates)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.computation_ns, 10_us);
  EXPECT_EQ(totals.communication_ns, 10_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);  // [36, 40)
  EXPECT_EQ(totals.host_calls, 0u);
  EXPECT_EQ(totals.device_calls, 1u);
}

TEST(CommunicationTest, a_collective_operator_makes_its_range_and_all_kernels_below_communication) {
  // The kernel of the phase is no collective by name: it is in both lists. The one the operator
  // launched itself is only in the first.
  const Trace trace = Sketch()
                          .slice("all_reduce", kOp, 0_us, 20_us)
                          .flags(kCommunicates)
                          .slice("compute", SliceKind::kOperatorPhase, 5_us, 10_us)
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .slice("call", kCall, 6_us, 1_us)
                          .correlation(2)
                          .stream(0, 7)
                          .slice("direct", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .slice("of the phase", kKernel, 50_us, 4_us)
                          .correlation(2)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.host_ns, 20_us);
  EXPECT_EQ(totals.host_calls, 1u);
  EXPECT_EQ(totals.device_ns, 14_us);
  EXPECT_EQ(totals.device_calls, 2u);
  EXPECT_EQ(totals.communication_ns, 34_us);
  EXPECT_EQ(totals.computation_ns, 4_us);
  EXPECT_EQ(totals.overlap_ns, 4_us);
}

TEST(CommunicationTest, equal_ranges_are_one_call) {
  const Trace trace = Sketch()
                          .thread(1)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .thread(2)
                          .slice("send", SliceKind::kCommunication, 0_us, 5_us)
                          .slice("send", SliceKind::kCommunication, 3_us, 1_us)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.host_calls, 2u);
  EXPECT_EQ(totals.host_ns, 5_us);
}

TEST(CommunicationTest, orphans_and_work_outside_all_ranges_take_no_part) {
  const Trace trace = Sketch()
                          .slice("call", kCall, 1_us, 1_us)
                          .correlation(1)
                          .stream(0, 7)
                          .slice("from the thread", kKernel, 30_us, 10_us)
                          .correlation(1)
                          .slice("orphan", kKernel, 50_us, 10_us)
                          .flags(kCommunicates)
                          .trace();
  const CommunicationTotals totals = add_up_communication(attribute_trace(trace));
  EXPECT_EQ(totals.communication_ns, 0);
  EXPECT_EQ(totals.computation_ns, 0);
}

}  // namespace
}  // namespace strobe::analysis
