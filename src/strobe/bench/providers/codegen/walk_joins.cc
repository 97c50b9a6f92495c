#include "strobe/bench/providers/codegen/walk_joins.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "strobe/bench/providers/codegen/kernel_frame.h"

namespace strobe::bench {
namespace {

// What was read because an earlier walk kept it is made of the input once more.
void compute_again(RowWalk& walk, NodeIndex node, const RowWalk::Read& input) {
  const auto read = std::ranges::find(walk.reads, node, &RowWalk::Read::node);
  if (read == walk.reads.end()) return;
  walk.reads.erase(read);
  if (std::ranges::find(walk.reads, input.node, &RowWalk::Read::node) == walk.reads.end()) {
    walk.reads.push_back(input);
  }
  walk.compute.insert(walk.compute.begin(), node);
}

// Of the walks `walk` and the one after it.
std::optional<Moments> find_moments(const RowPlan& plan, const Expression& expression,
                                    std::size_t walk) {
  if (walk + 1 >= plan.walks.size()) return {};
  const auto node = [&](NodeIndex index) {
    return expression.nodes[static_cast<std::size_t>(index)];
  };
  const RowWalk& first = plan.walks[walk];
  const RowWalk& second = plan.walks[walk + 1];
  if (first.reduce.size() != 1 || second.reduce.size() != 1 || second.row_values.size() != 1)
    return {};
  if (!first.outputs.empty() || !second.outputs.empty() || !second.row_outputs.empty()) return {};
  const Moments found = {node(first.reduce.front()).a, first.reduce.front(), second.reduce.front()};
  const NodeIndex mean = second.row_values.front();
  const Node square = node(node(found.squares).a);
  if (node(found.sum).op != Op::kRowSum || node(found.squares).op != Op::kRowSum) return {};
  if (node(found.input).op != Op::kInput || node(found.input).extent != Extent::kElements)
    return {};
  if (square.op != Op::kMul || square.a != square.b) return {};
  const Node centred = node(square.a);
  if (centred.op != Op::kSub || centred.a != found.input || centred.b != mean) return {};
  if (node(mean).op != Op::kMul || node(mean).a != found.sum || node(node(mean).b).op != Op::kConst)
    return {};
  return found;
}

}  // namespace

bool join_softmaxes(RowPlan& plan, const Expression& expression) {
  const auto node = [&](NodeIndex index) {
    return expression.nodes[static_cast<std::size_t>(index)];
  };
  bool has_any = false;
  for (std::size_t w = 0; w + 1 < plan.walks.size(); ++w) {
    RowWalk& first = plan.walks[w];
    RowWalk& second = plan.walks[w + 1];
    if (first.reduce.size() != 1 || !first.outputs.empty() || second.reduce.size() != 1) continue;
    if (!second.outputs.empty() || !second.row_values.empty() || !second.row_outputs.empty())
      continue;
    const NodeIndex maximum = first.reduce.front();
    const NodeIndex sum = second.reduce.front();
    const NodeIndex power = node(sum).a;
    if (node(maximum).op != Op::kRowMax || node(sum).op != Op::kRowSum) continue;
    if (node(power).op != Op::kExp || node(node(power).a).op != Op::kSub) continue;
    const Node difference = node(node(power).a);
    if (difference.a != node(maximum).a || difference.b != maximum) continue;
    if (!std::ranges::all_of(second.keeps, [&](const auto& keep) { return keep.node == power; }))
      continue;
    first.is_joined_later = second.joins_softmax = true;
    has_any = true;
  }
  return has_any;
}

bool join_moments(RowPlan& plan, const Expression& expression) {
  bool has_any = false;
  for (std::size_t w = 0; w + 1 < plan.walks.size(); ++w) {
    const std::optional<Moments> moments = find_moments(plan, expression, w);
    if (!moments) continue;
    RowWalk& first = plan.walks[w];
    RowWalk& second = plan.walks[w + 1];
    const NodeIndex centred = node_of(expression, node_of(expression, moments->squares).a).a;
    if (!std::ranges::all_of(second.keeps, [&](const auto& keep) { return keep.node == centred; }))
      continue;
    const RowWalk::Read input = first.reads.front();
    first.moments = moments;
    first.reduce = {moments->sum, moments->squares};
    RowWalk emptied;
    emptied.row_values = std::move(second.row_values);
    second = std::move(emptied);
    for (std::size_t later = w + 2; later < plan.walks.size(); ++later) {
      compute_again(plan.walks[later], centred, input);
    }
    has_any = true;
  }
  return has_any;
}

bool join_walks(RowPlan& plan, const Expression& expression) {
  const bool has_softmax = join_softmaxes(plan, expression);
  return join_moments(plan, expression) || has_softmax;
}

}  // namespace strobe::bench
