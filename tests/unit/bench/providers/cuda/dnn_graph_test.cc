#include "strobe/bench/providers/cuda/dnn_graph.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/providers/cuda/cudnn_api.h"

namespace strobe::bench {
namespace {

using ::testing::ElementsAre;
using Kind = DnnOperation::Kind;

const DnnTensor& tensor(const DnnGraph& graph, DnnTensorIndex index) {
  return graph.tensors.at(static_cast<std::size_t>(index));
}

const DnnTensor& named(const DnnGraph& graph, std::string_view name) {
  for (const DnnTensor& one : graph.tensors) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return graph.tensors.front();
}

std::vector<std::string> in_memory(const DnnGraph& graph) {
  std::vector<std::string> names;
  for (const DnnTensor& one : graph.tensors) {
    if (!one.is_virtual && !one.is_number) names.push_back(one.name);
  }
  return names;
}

// Every tensor in between is written once, and nothing is read before it is.
void expect_in_order(const DnnGraph& graph) {
  std::set<DnnTensorIndex> known;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const bool is_there = !graph.tensors[i].is_virtual && graph.tensors[i].name != "out";
    if (is_there) known.insert(static_cast<DnnTensorIndex>(i));
  }
  for (const DnnOperation& operation : graph.operations) {
    for (const DnnTensorIndex read : {operation.x, operation.b, operation.t}) {
      EXPECT_TRUE(read == kNoTensor || known.contains(read)) << read;
    }
    EXPECT_TRUE(known.insert(operation.y).second) << operation.y;
  }
  EXPECT_EQ(known.size(), graph.tensors.size());
}

TEST(DnnGraph, attention_reads_sequence_before_heads_and_writes_heads_first) {
  const DnnGraph graph = attention_graph({{2, 128, 4, 64}}, DType::kF16);
  expect_in_order(graph);
  EXPECT_THAT(in_memory(graph), ElementsAre("q", "k", "v", "out"));
  EXPECT_THAT(named(graph, "q").dims, ElementsAre(2, 4, 128, 64));
  EXPECT_THAT(named(graph, "q").strides, ElementsAre(128 * 4 * 64, 64, 4 * 64, 1));
  // The product of queries and keys: keys are transposed.
  EXPECT_THAT(named(graph, "k").dims, ElementsAre(2, 4, 64, 128));
  EXPECT_THAT(named(graph, "k").strides, ElementsAre(128 * 4 * 64, 64, 1, 4 * 64));
  EXPECT_THAT(named(graph, "out").strides, ElementsAre(4 * 128 * 64, 128 * 64, 64, 1));
  EXPECT_EQ(named(graph, "out").type, dnn::kHalf);
}

TEST(DnnGraph, attention_masks_what_comes_after_the_query) {
  const DnnGraph graph = attention_graph({{1, 128, 1, 64}}, DType::kBf16);
  const DnnOperation* select = nullptr;
  const DnnOperation* compare = nullptr;
  for (const DnnOperation& operation : graph.operations) {
    if (operation.kind != Kind::kPointwise) continue;
    if (operation.mode == dnn::kSelect) select = &operation;
    if (operation.mode == dnn::kGreaterOrEqual) compare = &operation;
  }
  ASSERT_TRUE(select != nullptr && compare != nullptr);
  EXPECT_EQ(select->t, compare->y);
  EXPECT_TRUE(tensor(graph, select->b).is_number);
  EXPECT_LT(tensor(graph, select->b).number, -1e38f);
  // Row at least column, by the axes that count them.
  const auto axis_of = [&](DnnTensorIndex index) {
    for (const DnnOperation& operation : graph.operations) {
      if (operation.y == index) return operation.axis;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(axis_of(compare->x), 2);
  EXPECT_EQ(axis_of(compare->b), 3);
}

TEST(DnnGraph, attention_scales_by_the_root_of_the_width) {
  const DnnGraph graph = attention_graph({{1, 128, 1, 64}}, DType::kF16);
  for (const DnnOperation& operation : graph.operations) {
    if (operation.kind == Kind::kPointwise && operation.mode == dnn::kMul) {
      EXPECT_FLOAT_EQ(tensor(graph, operation.b).number, 0.125f);
      return;
    }
  }
  FAIL();
}

TEST(DnnGraph, a_convolution_has_its_channels_last_in_memory_and_second_in_name) {
  const DnnGraph graph =
      convolution_graph({{32, 224, 224, 3, 64, 7, 2}}, DType::kF16, ConvolutionTail::kNone);
  expect_in_order(graph);
  EXPECT_THAT(in_memory(graph), ElementsAre("x", "w", "out"));
  EXPECT_THAT(named(graph, "x").dims, ElementsAre(32, 3, 224, 224));
  EXPECT_THAT(named(graph, "x").strides, ElementsAre(224 * 224 * 3, 1, 224 * 3, 3));
  EXPECT_THAT(named(graph, "w").dims, ElementsAre(64, 3, 7, 7));
  EXPECT_THAT(named(graph, "out").dims, ElementsAre(32, 64, 112, 112));
  ASSERT_EQ(graph.operations.size(), 1u);
  EXPECT_EQ(graph.operations[0].padding, 3);
  EXPECT_EQ(graph.operations[0].stride, 2);
}

TEST(DnnGraph, tails_of_a_convolution_end_in_the_output) {
  const Shape shape = {{2, 8, 8, 16, 32, 3, 1}};
  const std::vector<std::pair<ConvolutionTail, std::size_t>> tails = {
      {ConvolutionTail::kAdd, 2},
      {ConvolutionTail::kRelu, 2},
      {ConvolutionTail::kBias, 2},
      {ConvolutionTail::kAddBias, 3},
      {ConvolutionTail::kBiasRelu, 3}};
  for (const auto& [tail, operations] : tails) {
    const DnnGraph graph = convolution_graph(shape, DType::kF32, tail);
    expect_in_order(graph);
    EXPECT_EQ(graph.operations.size(), operations);
    EXPECT_EQ(tensor(graph, graph.operations.back().y).name, "out");
  }
}

}  // namespace
}  // namespace strobe::bench
