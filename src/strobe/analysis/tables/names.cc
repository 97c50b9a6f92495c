#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/analysis/tables/tables.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

// The tables that have a row per name: operators, kernels, ranges.
namespace strobe::analysis {
namespace {

// The rows of one group during the walk: flat lists, joined into OperatorRows at the end.
class OperatorTable {
 public:
  OperatorTable(const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes)
      : input_(input), flops_of_nodes_(flops_of_nodes), rows_(input.trace.strings()) {}

  void visit(NodeId node);
  // Call it after the caller's node was visited.
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
  // An operator comes before everything below it, so its row already exists.
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
  std::vector<std::size_t> places;  // per phase: its index among its operator's phases
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

namespace {

struct Launched {  // by one operator, of one kernel
  std::size_t kernel;
  StringId op;
  std::int64_t device_ns;
};

}  // namespace

std::vector<KernelRow> list_kernels(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  NameRows rows(input.trace.strings());
  PairRows launched_rows;
  std::vector<Launched> launched;
  std::vector<KernelRow> kernels;
  for (const std::uint32_t work : works.visiting_order) {
    const std::size_t slice = works.slices[work].index();
    if (slices.kinds[slice] != SliceKind::kKernel) continue;
    const std::size_t row = rows.row_of(slices.names[slice]);
    if (row == kernels.size()) kernels.emplace_back();
    kernels[row].device.add(slices.durations_ns[slice]);
    if ((slices.flags[slice] & kCommunicates) != 0) kernels[row].communicates = true;

    const NodeId owner = works.owners[work];
    const NodeId op = owner.valid() ? input.tree.operators[owner.index()] : NodeId();
    if (!op.valid()) continue;
    const StringId op_name = input.name(op);
    const std::size_t pair = launched_rows.row_of(static_cast<std::uint32_t>(row), op_name.value);
    if (pair == launched.size()) launched.push_back({row, op_name, 0});
    launched[pair].device_ns += slices.durations_ns[slice];
  }

  std::vector<const Launched*> most(kernels.size());
  for (const Launched& each : launched) {
    const Launched*& best = most[each.kernel];
    if (best == nullptr || each.device_ns > best->device_ns) best = &each;
  }
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    kernels[row].name = std::string(input.trace.strings()[rows.name(row)]);
    if (most[row] != nullptr) {
      kernels[row].top_operator = std::string(input.trace.strings()[most[row]->op]);
    }
  }
  return kernels;
}

namespace {

bool says_memory(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.find("memcpy") != std::string::npos ||
         lower.find("memorycopy") != std::string::npos || lower.find("memset") != std::string::npos;
}

class RangeTable {
 public:
  explicit RangeTable(const AttributedTrace& input) : input_(input), rows_(input.trace.strings()) {}

  void add(NodeId node) {
    const std::size_t row = rows_.row_of(input_.name(node));
    if (row == ranges_.size()) ranges_.emplace_back();
    ranges_[row].host.add(input_.host_ns(node));
    ranges_[row].device.add(input_.device_ns(node));
    const OpTree& tree = input_.tree;
    std::int64_t self_ns = input_.host_ns(node);
    for (std::size_t child = node.index() + 1; child < tree.subtree_ends[node.index()].index();
         child = tree.subtree_ends[child].index()) {
      self_ns -= input_.host_ns(NodeId(child));
    }
    ranges_[row].self_host_ns += self_ns;
  }
  // A runtime call inside a range that was added.
  void add_call(NodeId owner, std::size_t call) {
    ranges_[rows_.row_of(input_.name(owner))].self_host_ns -=
        input_.trace.duration_ns(input_.attribution.calls.slices[call]);
  }
  std::vector<UserRangeRow> take() {
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      ranges_[row].name = std::string(input_.trace.strings()[rows_.name(row)]);
    }
    rows_.clear();
    return std::exchange(ranges_, {});
  }

 private:
  const AttributedTrace& input_;
  NameRows rows_;
  std::vector<UserRangeRow> ranges_;
};

}  // namespace

std::vector<UserRangeRow> list_memory_ranges(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  OncePerName is_memory_name(input.trace.strings(), says_memory);
  RangeTable table(input);
  const auto belongs = [&](NodeId node) {
    const SliceKind role = tree.roles[node.index()];
    return (role == SliceKind::kUserRange || role == SliceKind::kAnnotation) &&
           is_memory_name(input.name(node));
  };
  for (const NodeId node : tree.visiting_order) {
    if (belongs(node)) table.add(node);
  }
  const auto& owners = input.attribution.calls.owners;
  for (std::size_t call = 0; call < owners.size(); ++call) {
    if (belongs(owners[call])) table.add_call(owners[call], call);
  }
  return table.take();
}

std::vector<ThreadGroup<UserRangeRow>> list_user_ranges(const AttributedTrace& input,
                                                        bool separate_threads) {
  const OpTree& tree = input.tree;
  OncePerName is_memory_name(input.trace.strings(), says_memory);
  RangeTable table(input);
  std::vector<ThreadGroup<UserRangeRow>> groups;
  const auto close_group = [&](std::string thread) {
    std::vector<UserRangeRow> rows = table.take();
    if (!rows.empty()) groups.push_back({std::move(thread), std::move(rows)});
  };
  const auto belongs = [&](NodeId node) {
    return tree.roles[node.index()] == SliceKind::kAnnotation && !is_memory_name(input.name(node));
  };
  const auto& calls = input.attribution.calls;
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    const HostThread& thread = tree.threads[t];
    for (std::size_t i = thread.root.index(); i < thread.end.index(); ++i) {
      const NodeId node = tree.visiting_order[i];
      if (belongs(node)) table.add(node);
    }
    for (std::size_t i = calls.thread_begins[t]; i < calls.thread_begins[t + 1]; ++i) {
      if (belongs(calls.owners[i])) table.add_call(calls.owners[i], i);
    }
    if (separate_threads) close_group(std::string(input.trace.strings()[thread.thread]));
  }
  if (!separate_threads) close_group("");
  return groups;
}

}  // namespace strobe::analysis
