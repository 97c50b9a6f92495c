#include "strobe/analysis/launches/graph_captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/summary.h"
#include "tests/support/sketch.h"

namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// A capture of a matrix product, a copy and a sum, from 0 us; then the graph is launched.
class GraphCapturesTest : public ::testing::Test {
 protected:
  void capture(std::int64_t at_ns = 0, bool has_marks = true) {
    sketch_.thread(1);
    if (has_marks) sketch_.slice("xStreamBeginCapture", kCall, at_ns, 1_us);
    sketch_.slice("aten::mm", kOp, at_ns + 5_us, 10_us);
    sketch_.slice("xLaunchKernel", kCall, at_ns + 6_us, 2_us).correlation(next_++);
    sketch_.slice("aten::copy_", kOp, at_ns + 20_us, 10_us);
    sketch_.slice("xMemcpyAsync", kCall, at_ns + 21_us, 2_us).correlation(next_++);
    sketch_.slice("aten::sum", kOp, at_ns + 40_us, 10_us);
    sketch_.slice("xLaunchKernel", kCall, at_ns + 41_us, 2_us).correlation(next_++);
    if (has_marks) sketch_.slice("xStreamEndCapture", kCall, at_ns + 60_us, 1_us);
    sketch_.slice("xGraphInstantiate", kCall, at_ns + 70_us, 1_us);
  }
  // Nodes are given as numbers of their graph; 0 leaves them out.
  void replay(std::int64_t at_ns, int graph = 0, int node = 0) {
    sketch_.thread(1).slice("replay", kOp, at_ns, 10_us);
    sketch_.slice("xGraphLaunch", kCall, at_ns + 1_us, 5_us).correlation(next_);
    sketch_.stream(0, 7);
    add("gemm", kKernel, at_ns + 20_us, graph, node);
    add("Memcpy DtoD", SliceKind::kMemcpy, at_ns + 40_us, graph, node + 1);
    add("reduce", kKernel, at_ns + 60_us, graph, node + 2);
    ++next_;
  }
  void add(std::string_view name, SliceKind kind, std::int64_t at_ns, int graph, int node) {
    sketch_.slice(name, kind, at_ns, 10_us).correlation(next_);
    if (graph == 0) return;
    sketch_.args("{\"graph id\": " + std::to_string(graph) +
                 ", \"graph node id\": " + std::to_string(node) + "}");
  }
  // Per work, the names of where it was captured.
  std::string captured() {
    const Trace trace = sketch_.trace();
    const AttributedTrace input = attribute_trace(trace);
    std::string names;
    for (const NodeId node : input.attribution.works.capturers) {
      if (!names.empty()) names += ", ";
      names += node.valid() && !input.tree.is_thread(node)
                   ? std::string(trace.name(input.tree.slices[node.index()]))
                   : "none";
    }
    return names;
  }

  Sketch sketch_;
  std::uint32_t next_ = 1;
};

TEST_F(GraphCapturesTest, replayed_work_belongs_to_what_captured_it) {
  capture();
  replay(1'000_us);
  replay(2'000_us);
  EXPECT_EQ(captured(), "aten::mm, aten::copy_, aten::sum, aten::mm, aten::copy_, aten::sum");
}

TEST_F(GraphCapturesTest, what_was_launched_just_before_a_graph_is_made_was_captured) {
  sketch_.thread(1).slice("xLaunchKernel", kCall, -50_us, 2_us).correlation(900);
  sketch_.stream(0, 7).slice("ran", kKernel, -40_us, 10_us).correlation(900);
  capture(0, false);
  replay(1'000_us);
  EXPECT_EQ(captured(), "none, aten::mm, aten::copy_, aten::sum");
}

TEST_F(GraphCapturesTest, the_launch_remains_the_owner) {
  capture();
  replay(1'000_us);
  const Trace trace = sketch_.trace();
  const AttributedTrace input = attribute_trace(trace);
  const auto& works = input.attribution.works;
  const auto name_of = [&](NodeId node) { return trace.name(input.tree.slices[node.index()]); };
  EXPECT_EQ(name_of(works.owners[0]), "replay");
  EXPECT_EQ(name_of(works.origin_of(0)), "aten::mm");
}

TEST_F(GraphCapturesTest, the_table_of_kernels_names_the_operator_of_the_capture) {
  capture();
  replay(1'000_us);
  const Trace trace = sketch_.trace();
  const Summary summary = summarize(trace);
  ASSERT_EQ(summary.kernels.size(), 2u);
  for (const KernelRow& kernel : summary.kernels) {
    EXPECT_EQ(kernel.top_operator(), kernel.name == "gemm" ? "aten::mm" : "aten::sum");
  }
}

TEST_F(GraphCapturesTest, node_ids_tell_the_order_where_streams_overlap) {
  capture();
  sketch_.thread(1).slice("xGraphLaunch", kCall, 1'000_us, 5_us).correlation(next_);
  sketch_.stream(0, 8);
  add("reduce", kKernel, 1'020_us, 4, 12);
  sketch_.stream(0, 7);
  add("gemm", kKernel, 1'030_us, 4, 10);
  add("Memcpy DtoD", SliceKind::kMemcpy, 1'050_us, 4, 11);
  EXPECT_EQ(captured(), "aten::sum, aten::mm, aten::copy_");
}

TEST_F(GraphCapturesTest, without_node_ids_streams_that_overlap_tell_no_order) {
  capture();
  sketch_.thread(1).slice("xGraphLaunch", kCall, 1'000_us, 5_us).correlation(next_);
  sketch_.stream(0, 8);
  add("gemm", kKernel, 1'020_us, 0, 0);
  sketch_.stream(0, 7);
  add("Memcpy DtoD", SliceKind::kMemcpy, 1'050_us, 0, 0);
  add("reduce", kKernel, 1'080_us, 0, 0);
  EXPECT_EQ(captured(), "");
}

TEST_F(GraphCapturesTest, two_captures_alike_leave_a_choice) {
  capture();
  capture(100_us);
  replay(1'000_us);
  EXPECT_EQ(captured(), "");
}

TEST_F(GraphCapturesTest, two_graphs_alike_leave_a_choice) {
  capture();
  replay(1'000_us, 4, 10);
  replay(2'000_us, 5, 20);
  EXPECT_EQ(captured(), "");
}

TEST_F(GraphCapturesTest, other_work_than_was_captured_is_another_graph) {
  capture();
  replay(1'000_us);
  add("one more", kKernel, 1'090_us, 0, 0);
  sketch_.correlation(next_ - 1);
  EXPECT_EQ(captured(), "");
}

TEST_F(GraphCapturesTest, a_graph_that_runs_before_the_capture_is_another_one) {
  replay(0);
  capture(1'000_us);
  EXPECT_EQ(captured(), "");
}

TEST_F(GraphCapturesTest, what_runs_by_itself_was_not_captured) {
  capture();
  sketch_.stream(0, 7).slice("ran", kKernel, 500_us, 10_us).correlation(1);
  replay(1'000_us);
  EXPECT_EQ(captured(), "");
}

}  // namespace
}  // namespace strobe::analysis
