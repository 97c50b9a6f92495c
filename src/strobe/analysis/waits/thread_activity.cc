#include "strobe/analysis/waits/thread_activity.h"

#include <algorithm>

namespace strobe::analysis {
namespace {

// Of ranges that are no operators.
IdleKind idle_kind_of(SliceKind role) {
  switch (role) {
    case SliceKind::kStep:
      return IdleKind::kNothing;
    case SliceKind::kDataLoader:
      return IdleKind::kDataLoading;
    default:
      return IdleKind::kRange;
  }
}

}  // namespace

NodeId operator_or_range(const OpTree& tree, NodeId node) {
  if (!node.valid()) return {};
  if (const NodeId above = tree.operators[node.index()]; above.valid()) return above;
  while (!tree.is_thread(node) && tree.roles[node.index()] == SliceKind::kStep) {
    node = tree.parents[node.index()];
  }
  return tree.is_thread(node) ? NodeId() : node;
}

ThreadActivity::ThreadActivity(const AttributedTrace& input, std::uint32_t thread,
                               CauseList& causes)
    : input_(input),
      causes_(causes),
      nothing_(causes.id_of({})),
      thread_(thread),
      call_(input.attribution.calls.thread_begins[thread]),
      calls_end_(input.attribution.calls.thread_begins[thread + 1]),
      node_(input.tree.threads[thread].root.index() + 1),
      nodes_end_(input.tree.threads[thread].end.index()) {
  open_.push_back({kForever, kForever, NodeId(), nothing_, IdleKind::kNothing});
  load_call(call_);
  load_node();
}

// The first call that has not ended is the outermost, or the next one; of several that start
// together it is the longest.
void ThreadActivity::load_call(std::size_t first) {
  call_ = first;
  const auto interval_of = [&](std::size_t call) {
    return input_.trace.interval(input_.attribution.calls.slices[call]);
  };
  if (call_ >= calls_end_) {
    call_interval_ = kEndOfTime;
    return;
  }
  call_interval_ = interval_of(call_);
  for (std::size_t i = call_ + 1; i < calls_end_; ++i) {
    const Interval other = interval_of(i);
    if (other.start_ns != call_interval_.start_ns) break;
    if (other.end_ns <= call_interval_.end_ns) continue;
    call_ = i;
    call_interval_ = other;
  }
}

void ThreadActivity::show_other_range(NodeId node, CauseId& cause, IdleKind& kind) {
  static_assert(IdleKind::kDataLoading < IdleKind::kOperator &&
                    IdleKind::kOperator < IdleKind::kRange && IdleKind::kRange < IdleKind::kNothing,
                "the order of what says more");
  const IdleKind own = idle_kind_of(input_.tree.roles[node.index()]);
  if (own > kind || own == IdleKind::kNothing) return;
  kind = own;
  cause = causes_.id_of({own, input_.name(node), {}});
}

// Some ranges that are still open started in one that has ended.
void ThreadActivity::drop_crossed(std::int64_t time_ns) {
  std::vector<Open> before;
  before.swap(open_);
  open_.push_back(before.front());
  for (std::size_t i = 1; i < before.size(); ++i) {
    if (before[i].end_ns > time_ns) open(before[i].node, before[i].end_ns);
  }
}

CauseId ThreadActivity::cause_of_call() {
  const auto& calls = input_.attribution.calls;
  const NodeId around = operator_or_range(input_.tree, calls.owners[call_]);
  return causes_.id_of({IdleKind::kRuntimeCall,
                        input_.trace.slices().names[calls.slices[call_].index()],
                        around.valid() ? input_.name(around) : StringId()});
}

}  // namespace strobe::analysis
