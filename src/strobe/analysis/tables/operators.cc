#include "strobe/analysis/tables/operators.h"

#include <string>

#include "strobe/analysis/timeline/row_index.h"

namespace strobe::analysis {
namespace {

// The rows of one group while the walk goes on: flat lists, joined into OperatorRows at the end.
class OperatorTable {
 public:
  OperatorTable(const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes)
      : input_(input), flops_of_nodes_(flops_of_nodes), rows_(input.trace.strings()) {}

  void visit(NodeId node);
  // To be called once the caller's node was visited.
  void visit_call(std::size_t call);
  std::vector<OperatorRow> take();

 private:
  struct Operator {
    TimeStat host;
    TimeStat device;
    std::int64_t self_host_ns = 0;
    std::int64_t self_device_ns = 0;
    std::uint64_t flops = 0;
  };
  struct Phase {
    std::size_t owner;  // operator row
    StringId name;
    SliceKind kind;
    TimeStat host;
    TimeStat device;
  };
  struct Work {
    std::size_t owner;  // operator or phase row
    StringId name;
    SliceKind kind;
    TimeStat device;
  };

  void visit_operator(NodeId node);
  void visit_phase(NodeId node, std::size_t owner);
  void visit_works(NodeId node, std::size_t owner, PairRows& rows, std::vector<Work>& works);
  DeviceWorkRow named(const Work& work) const {
    return {std::string(input_.trace.strings()[work.name]), work.kind, work.device};
  }

  const AttributedTrace& input_;
  const std::vector<std::uint64_t>& flops_of_nodes_;
  NameRows rows_;
  PairRows phase_rows_;
  PairRows own_work_rows_;
  PairRows phase_work_rows_;
  std::vector<Operator> operators_;
  std::vector<Phase> phases_;
  std::vector<Work> own_works_;
  std::vector<Work> phase_works_;
};

void OperatorTable::visit(NodeId node) {
  if (input_.tree.roles[node.index()] == SliceKind::kOperator) visit_operator(node);
  const auto works = input_.works_of(node);
  if (works.empty()) return;
  const NodeId above = input_.tree.operators[node.index()];
  if (!above.valid()) return;
  // An operator stands before everything below it, so its row exists by now.
  Operator& op = operators_[rows_.row_of(input_.name(above))];
  for (const std::uint32_t work : works) {
    op.self_device_ns += input_.trace.duration_ns(input_.attribution.works.slices[work]);
  }
}

void OperatorTable::visit_call(std::size_t call) {
  const NodeId owner = input_.attribution.calls.owners[call];
  if (input_.tree.roles[owner.index()] != SliceKind::kOperator) return;
  operators_[rows_.row_of(input_.name(owner))].self_host_ns -=
      input_.trace.duration_ns(input_.attribution.calls.slices[call]);
}

void OperatorTable::visit_operator(NodeId node) {
  const OpTree& tree = input_.tree;
  const std::size_t row = rows_.row_of(input_.name(node));
  if (row == operators_.size()) operators_.emplace_back();
  Operator& op = operators_[row];
  op.host.add(input_.host_ns(node));
  op.device.add(input_.device_ns(node));
  if (!flops_of_nodes_.empty()) op.flops += flops_of_nodes_[node.index()];
  const std::size_t end = tree.subtree_ends[node.index()].index();
  std::int64_t children_ns = 0;
  for (std::size_t child = node.index() + 1; child < end;
       child = tree.subtree_ends[child].index()) {
    children_ns += input_.host_ns(NodeId(child));
    if (tree.roles[child] != SliceKind::kOperator) visit_phase(NodeId(child), row);
  }
  op.self_host_ns += input_.host_ns(node) - children_ns;
  visit_works(node, row, own_work_rows_, own_works_);
}

void OperatorTable::visit_phase(NodeId node, std::size_t owner) {
  const StringId name = input_.name(node);
  const std::size_t row = phase_rows_.row_of(static_cast<std::uint32_t>(owner), name.value);
  if (row == phases_.size()) {
    phases_.push_back({owner, name, input_.tree.roles[node.index()], {}, {}});
  }
  phases_[row].host.add(input_.host_ns(node));
  phases_[row].device.add(input_.device_ns(node));
  visit_works(node, row, phase_work_rows_, phase_works_);
}

void OperatorTable::visit_works(NodeId node, std::size_t owner, PairRows& rows,
                                std::vector<Work>& works) {
  for (const std::uint32_t work : input_.works_of(node)) {
    const SliceId slice = input_.attribution.works.slices[work];
    const StringId name = input_.trace.slices().names[slice.index()];
    const std::size_t row = rows.row_of(static_cast<std::uint32_t>(owner), name.value);
    if (row == works.size()) works.push_back({owner, name, input_.trace.kind(slice), {}});
    works[row].device.add(input_.trace.duration_ns(slice));
  }
}

std::vector<OperatorRow> OperatorTable::take() {
  const StringPool& strings = input_.trace.strings();
  std::vector<OperatorRow> result(operators_.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Operator& op = operators_[i];
    result[i].name = std::string(strings[rows_.name(i)]);
    result[i].host = op.host;
    result[i].device = op.device;
    result[i].self_host_ns = op.self_host_ns;
    result[i].self_device_ns = op.self_device_ns;
    result[i].flops = op.flops;
  }
  std::vector<std::size_t> places;  // per phase: where it stands among its operator's
  for (const Phase& phase : phases_) {
    auto& rows = result[phase.owner].phases;
    places.push_back(rows.size());
    rows.push_back({std::string(strings[phase.name]), phase.kind, phase.host, phase.device, {}});
  }
  for (const Work& work : own_works_) result[work.owner].work.push_back(named(work));
  for (const Work& work : phase_works_) {
    result[phases_[work.owner].owner].phases[places[work.owner]].work.push_back(named(work));
  }
  rows_.clear();
  phase_rows_.clear();
  own_work_rows_.clear();
  phase_work_rows_.clear();
  operators_.clear();
  phases_.clear();
  own_works_.clear();
  phase_works_.clear();
  return result;
}

}  // namespace

std::vector<ThreadGroup<OperatorRow>> list_operators(
    const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes,
    bool separate_threads) {
  const OpTree& tree = input.tree;
  std::vector<ThreadGroup<OperatorRow>> groups;
  OperatorTable table(input, flops_of_nodes);
  const auto close_group = [&](std::string thread) {
    std::vector<OperatorRow> rows = table.take();
    if (!rows.empty()) groups.push_back({std::move(thread), std::move(rows)});
  };
  const auto& call_begins = input.attribution.calls.thread_begins;
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    const HostThread& thread = tree.threads[t];
    for (std::size_t i = thread.root.index(); i < thread.end.index(); ++i) {
      table.visit(tree.visiting_order[i]);
    }
    for (std::size_t i = call_begins[t]; i < call_begins[t + 1]; ++i) table.visit_call(i);
    if (separate_threads) close_group(std::string(input.trace.strings()[thread.thread]));
  }
  if (!separate_threads) close_group("");
  return groups;
}

}  // namespace strobe::analysis
