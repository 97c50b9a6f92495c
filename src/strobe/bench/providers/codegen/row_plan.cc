#include "strobe/bench/providers/codegen/row_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/kernel_task.h"

namespace strobe::bench {
namespace {

constexpr int kCheap = 3;  // cheaper to compute again than to keep

int cost_of(Op op) {
  switch (op) {
    case Op::kCos:
    case Op::kExp:
    case Op::kTanh:
    case Op::kDiv:
    case Op::kRsqrt:
    case Op::kRecip:
      return 8;
    default:
      return 1;
  }
}

class Planner {
 public:
  Planner(const Expression& expression, KeepPolicy policy)
      : expression_(expression),
        policy_(policy),
        depth_(expression.reduction_depths()),
        last_depth_(expression.dependent_reductions()) {}

  RowPlan run() && {
    for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
      const Node& node = expression_.nodes[i];
      if (node.op != Op::kInput) continue;
      if (node.extent == Extent::kElements) plan_.inputs.push_back(static_cast<NodeIndex>(i));
      if (node.extent == Extent::kColumns) plan_.column_inputs.push_back(static_cast<NodeIndex>(i));
    }
    plan_.walks.resize(static_cast<std::size_t>(last_depth_) + 1);
    for (int walk = 0; walk <= last_depth_; ++walk) plan_walk(walk);
    give_slots();
    return std::move(plan_);
  }

 private:
  const Node& node(NodeIndex index) const { return node_of(expression_, index); }
  int depth(NodeIndex index) const { return depth_[static_cast<std::size_t>(index)]; }
  bool is_of_elements(NodeIndex index) const { return node(index).extent == Extent::kElements; }
  bool is_of_row(NodeIndex index) const { return is_one_a_row(node(index).extent); }

  void plan_walk(int walk) {
    RowWalk& plan = plan_.walks[static_cast<std::size_t>(walk)];
    std::set<NodeIndex> seen;
    for (std::size_t i = 0; i < expression_.nodes.size(); ++i) {
      const auto index = static_cast<NodeIndex>(i);
      if (is_of_row(index) && depth(index) == walk && !is_reduction(node(index)) &&
          node(index).op != Op::kConst) {
        plan.row_values.push_back(index);
      }
      if (is_reduction(node(index)) && depth(index) == walk + 1) {
        plan.reduce.push_back(index);
        need(node(index).a, walk, seen);
      }
    }
    for (std::size_t i = 0; i < expression_.outputs.size(); ++i) {
      const NodeIndex index = expression_.outputs[i].node;
      if (depth(index) != walk) continue;
      if (is_of_row(index)) {
        plan.row_outputs.push_back(i);
      } else {
        plan.outputs.push_back(i);
        need(index, walk, seen);
      }
    }
    std::ranges::sort(plan.compute);
  }

  void need(NodeIndex index, int walk, std::set<NodeIndex>& seen) {
    if (is_of_row(index) || !seen.insert(index).second) return;
    RowWalk& plan = plan_.walks[static_cast<std::size_t>(walk)];
    if (node(index).op == Op::kInput) {
      if (is_of_elements(index)) {
        plan.reads.push_back({index, -1});
        last_use_[index] = walk;
      } else {
        plan.columns.push_back(index);
      }
      return;
    }
    const auto born = born_.find(index);
    if (born != born_.end() && born->second < walk && is_worth_keeping(index)) {
      plan.reads.push_back({index, -1});
      last_use_[index] = walk;
      kept_.insert(index);
      return;
    }
    if (born == born_.end()) born_[index] = walk;
    for (const NodeIndex operand : {node(index).a, node(index).b}) {
      if (operand != kNoNode) need(operand, walk, seen);
    }
    plan.compute.push_back(index);
  }

  bool is_worth_keeping(NodeIndex index) const {
    if (!is_of_elements(index) || policy_ == KeepPolicy::kNone) return false;
    return policy_ == KeepPolicy::kAll || cost_again(index) > kCheap;
  }

  // Cost to recompute a value from inputs and from values that are expensive enough to be kept.
  int cost_again(NodeIndex index) const {
    if (index == kNoNode || is_of_row(index) || node(index).op == Op::kInput) return 0;
    const auto operand = [&](NodeIndex of) {
      const int cost = cost_again(of);
      return cost > kCheap ? 0 : cost;
    };
    return cost_of(node(index).op) + operand(node(index).a) + operand(node(index).b);
  }

  // A value may reuse the slot of one whose last read is in the walk that makes it.
  void give_slots() {
    if (policy_ == KeepPolicy::kNone) return;
    std::map<NodeIndex, int> slot_of;
    std::vector<NodeIndex> holder;
    for (const NodeIndex input : plan_.inputs) {
      slot_of[input] = static_cast<int>(holder.size());
      holder.push_back(input);
    }
    for (std::size_t walk = 0; walk < plan_.walks.size(); ++walk) {
      RowWalk& plan = plan_.walks[walk];
      for (RowWalk::Read& read : plan.reads) read.slot = slot_of.at(read.node);
      for (const NodeIndex index : plan.compute) {
        if (!kept_.contains(index) || born_.at(index) != static_cast<int>(walk)) continue;
        const auto is_free = [&](NodeIndex held) {
          return last_use_[held] <= static_cast<int>(walk);
        };
        auto place = std::ranges::find_if(holder, is_free);
        if (place == holder.end()) place = holder.insert(holder.end(), index);
        *place = index;
        const auto slot = static_cast<int>(place - holder.begin());
        slot_of[index] = slot;
        plan.keeps.push_back({index, slot});
      }
    }
    plan_.slots = static_cast<int>(holder.size());
  }

  const Expression& expression_;
  KeepPolicy policy_;
  std::vector<int> depth_;
  int last_depth_ = 0;
  std::map<NodeIndex, int> born_;
  std::map<NodeIndex, int> last_use_;
  std::set<NodeIndex> kept_;
  RowPlan plan_;
};

}  // namespace

int RowPlan::reductions() const {
  std::size_t count = 0;
  for (const RowWalk& walk : walks) count += walk.reduce.size();
  return static_cast<int>(count);
}

bool RowPlan::keeps_over_input() const {
  return std::ranges::any_of(walks, [&](const RowWalk& walk) {
    return std::ranges::any_of(walk.keeps, [&](const RowWalk::Keep& keep) {
      return keep.slot < static_cast<int>(inputs.size());
    });
  });
}

RowPlan plan_rows(const Expression& expression, KeepPolicy policy) {
  return Planner(expression, policy).run();
}

namespace {

// Instead of reading a value that an earlier walk kept, computes it from the input again.
void compute_again(RowWalk& walk, NodeIndex node, const RowWalk::Read& input) {
  const auto read = std::ranges::find(walk.reads, node, &RowWalk::Read::node);
  if (read == walk.reads.end()) return;
  walk.reads.erase(read);
  if (std::ranges::find(walk.reads, input.node, &RowWalk::Read::node) == walk.reads.end()) {
    walk.reads.push_back(input);
  }
  walk.compute.insert(walk.compute.begin(), node);
}

// Looks at `walk` and the walk after it.
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
