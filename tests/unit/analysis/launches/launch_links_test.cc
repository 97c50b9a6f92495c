#include "strobe/analysis/launches/launch_links.h"

#include <gtest/gtest.h>

#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

struct Linked {
  Trace trace;
  OpTree tree;
  std::vector<SliceId> runtime_slices;
  Attribution attribution;
};

Linked linked(Sketch& sketch, const TimeSelection& selection = {}) {
  Linked result;
  result.trace = sketch.trace();
  result.tree = build_op_tree(result.trace, selection);
  result.attribution = attribute(result.trace, result.tree, selection);
  for (std::size_t row = 0; row < result.trace.slice_count(); ++row) {
    if (result.trace.kind(SliceId(row)) == kCall) result.runtime_slices.push_back(SliceId(row));
  }
  return result;
}

TEST(LaunchLinksTest, correlations_are_found_in_any_order_and_however_far_apart) {
  Sketch sketch;
  const std::vector<std::uint32_t> ids = {5, 4'000'000'000u, 77, 1'000'000, 78, 6};
  std::int64_t start_ns = 0;
  for (const std::uint32_t id : ids) sketch.slice("call", kCall, start_ns += 10, 5).correlation(id);
  const Linked l = linked(sketch);
  CallsByCorrelation calls(l.trace, l.runtime_slices, l.attribution.calls);
  for (const std::uint32_t wanted : {78u, 5u, 4'000'000'000u, 6u, 77u, 1'000'000u}) {
    CallId call;
    ASSERT_EQ(calls.find(wanted, call), CallsByCorrelation::Answer::kFound) << wanted;
    EXPECT_EQ(l.trace.slices().correlations[l.attribution.calls.slices[call.index()].index()],
              wanted);
  }
}

TEST(LaunchLinksTest, unknown_correlations_are_unknown_below_between_and_above) {
  Sketch sketch;
  sketch.slice("call", kCall, 0, 5).correlation(10).slice("call", kCall, 10, 5).correlation(20);
  const Linked l = linked(sketch);
  CallsByCorrelation calls(l.trace, l.runtime_slices, l.attribution.calls);
  for (const std::uint32_t wanted : {9u, 15u, 21u, kNoLaunchId}) {
    CallId call;
    EXPECT_EQ(calls.find(wanted, call), CallsByCorrelation::Answer::kUnknown) << wanted;
  }
}

TEST(LaunchLinksTest, a_call_outside_the_selection_is_known_but_not_selected) {
  Sketch sketch;
  sketch.slice("call", kCall, 0, 5).correlation(10).slice("call", kCall, 100, 5).correlation(20);
  const Linked l = linked(sketch, TimeSelection({{50, 200}}));
  CallsByCorrelation calls(l.trace, l.runtime_slices, l.attribution.calls);
  CallId call;
  EXPECT_EQ(calls.find(10, call), CallsByCorrelation::Answer::kNotSelected);
  EXPECT_EQ(calls.find(20, call), CallsByCorrelation::Answer::kFound);
}

TEST(LaunchLinksTest, an_external_id_means_the_last_operator_that_carries_it) {
  Sketch sketch;
  sketch.slice("a", SliceKind::kOperator, 0_us, 5_us).external(3);
  sketch.slice("b", SliceKind::kOperator, 10_us, 5_us).external(3);
  const SliceId b = sketch.last();
  const Linked l = linked(sketch);
  const OperatorsByExternalId operators(l.trace, l.tree);
  EXPECT_EQ(operators.find(3), find_node(l.trace, l.tree, b));
  EXPECT_FALSE(operators.find(4).valid());
  EXPECT_FALSE(operators.find(kNoLaunchId).valid());
}

TEST(LaunchLinksTest, an_arrow_from_outside_a_call_still_names_the_range) {
  Sketch sketch;
  sketch.slice("op", SliceKind::kOperator, 0_us, 20_us).flow(9, FlowPhase::kStart, 5_us);
  sketch.stream(0, 7).slice("kernel", SliceKind::kKernel, 50_us, 9_us);
  const SliceId kernel = sketch.last();
  sketch.flow(9, FlowPhase::kEnd, 54_us);  // some writers point at the middle
  const Linked l = linked(sketch);
  const auto source = LaunchesByFlow(l.trace, l.tree, l.attribution.calls).find(kernel);
  EXPECT_FALSE(source.call.valid());
  EXPECT_EQ(source.owner, NodeId(1));
}

TEST(LaunchLinksTest, an_arrow_between_two_slices_belongs_to_the_one_that_starts_there) {
  Sketch sketch;
  sketch.slice("op", SliceKind::kOperator, 0_us, 20_us).flow(9, FlowPhase::kStart, 5_us);
  sketch.stream(0, 7).slice("first", SliceKind::kKernel, 50_us, 9_us);
  const SliceId first = sketch.last();
  sketch.slice("second", SliceKind::kKernel, 59_us, 9_us);
  const SliceId second = sketch.last();
  sketch.flow(9, FlowPhase::kEnd, 59_us);
  sketch.slice("empty", SliceKind::kKernel, 59_us, 0_us);
  const SliceId empty = sketch.last();
  const Linked l = linked(sketch);
  const LaunchesByFlow launches(l.trace, l.tree, l.attribution.calls);
  EXPECT_FALSE(launches.find(first).owner.valid());
  EXPECT_EQ(launches.find(second).owner, NodeId(1));
  EXPECT_EQ(launches.find(empty).owner, NodeId(1));
}

}  // namespace
}  // namespace strobe::analysis
