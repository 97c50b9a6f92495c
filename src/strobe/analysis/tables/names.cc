#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "strobe/analysis/launches/new_time.h"
#include "strobe/analysis/tables/tables.h"
#include "strobe/base/row_index.h"
#include "strobe/base/text.h"

// The tables that have a row per name: operators, kernels, ranges. Under TreeRules::kStrobe they go
// through the nodes by start and count no time twice; under TreeRules::kCompatible they go in
// visiting order and simply add up calls.
namespace strobe::analysis {
namespace {

// The time of a node without the ranges directly below it, runtime calls included.
std::int64_t time_without_children(const AttributedTrace& input, NodeId node) {
  const OpTree& tree = input.tree;
  std::int64_t left_ns = input.host_ns(node);
  for (std::size_t child = node.index() + 1; child < tree.subtree_ends[node.index()].index();
       child = tree.subtree_ends[child].index()) {
    left_ns -= input.host_ns(NodeId(child));
  }
  return left_ns;
}

std::int64_t self_host_ns(const AttributedTrace& input, NodeId node) {
  return input.tree.rules == TreeRules::kStrobe ? input.attribution.self_host_ns[node.index()]
                                                : time_without_children(input, node);
}

// All calls of one name.
struct NameSums {
  TimeStat host;
  TimeStat device;

  // Returns whether the call is outside of the earlier ones. Under TreeRules::kStrobe calls come in
  // the order of nodes, and the totals take only what is new: time that no earlier call of the
  // thread covers, and work that no call around this one launched.
  bool add(const AttributedTrace& input, const HostThread& thread, NodeId node) {
    const Interval call = input.trace.interval(input.tree.slices[node.index()]);
    const std::int64_t work_ns = input.device_ns(node);
    if (input.tree.rules == TreeRules::kCompatible) {
      host.add(call.length_ns());
      device.add(work_ns);
      return true;
    }
    const bool is_outermost = node >= outermost_end_;
    if (is_outermost) outermost_end_ = input.tree.subtree_ends[node.index()];
    const std::int64_t new_work_ns = is_outermost ? work_ns : 0;
    host.add(call.length_ns(), new_time_.add_ns(thread.root, call));
    if (const auto launches = input.crossing_launches_of(node); launches.empty()) {
      device.add(work_ns, new_work_ns);
    } else {
      const std::int64_t new_crossing = new_crossing_ns(input, thread, node, launches);
      device.add(work_ns + total_ns(launches), new_work_ns + new_crossing);
    }
    return is_outermost;
  }

 private:
  using CrossingLaunches = std::span<const Attribution::Crossings::Launch>;

  static std::int64_t total_ns(CrossingLaunches launches) {
    std::int64_t sum_ns = 0;
    for (const auto& launch : launches) sum_ns += launch.device_ns;
    return sum_ns;
  }

  // Of the work launched inside the call, but below a range that crosses it: what no other call of
  // the name has. It may be below one, or inside of an earlier one that is crossed, too.
  // Rare, so it stays out of the way of the other calls.
  [[gnu::cold]] std::int64_t new_crossing_ns(const AttributedTrace& input, const HostThread& thread,
                                             NodeId node, CrossingLaunches launches) {
    if (crossed_thread_ != thread.root) {
      crossed_until_ns_ = std::numeric_limits<std::int64_t>::min();
    }
    crossed_thread_ = thread.root;
    std::int64_t sum_ns = 0;
    for (const auto& launch : launches) {
      if (launch.end_ns <= crossed_until_ns_) continue;
      if (is_below_namesake(input, input.attribution.works.owners[launch.work], node)) continue;
      sum_ns += launch.device_ns;
    }
    crossed_until_ns_ =
        std::max(crossed_until_ns_, nest_end_ns(input.trace, input.tree.slices[node.index()]));
    return sum_ns;
  }

  static bool is_below_namesake(const AttributedTrace& input, NodeId node, NodeId named) {
    const OpTree& tree = input.tree;
    const auto is_operator = [&](NodeId one) {
      return tree.roles[one.index()] == SliceKind::kOperator;
    };
    for (; !tree.is_thread(node); node = tree.parents[node.index()]) {
      if (input.name(node) == input.name(named) && is_operator(node) == is_operator(named)) {
        return true;
      }
    }
    return false;
  }

  NewTime new_time_;
  NodeId outermost_end_{0};  // where the subtree of the latest outermost call ends
  NodeId crossed_thread_;    // of the latest crossed calls, and where the last of them ends
  std::int64_t crossed_until_ns_ = 0;
};

// The operators around a launch where ranges cross: by time, not by the tree.
class CrossedOperators {
 public:
  struct Pair {
    NodeId inner;  // invalid outside of operators
    NodeId outer;
  };

  explicit CrossedOperators(const AttributedTrace& input) {
    const Attribution::Crossings& crossings = input.attribution.crossings;
    const OpTree& tree = input.tree;
    for (const NodeId node : crossings.nodes) {
      if (tree.roles[node.index()] != SliceKind::kOperator) continue;
      for (const auto& launch : input.crossing_launches_of(node)) {
        const NodeId owner = input.attribution.works.owners[launch.work];
        const Pair in_tree{tree.operators[owner.index()], tree.outermost_operator(owner)};
        Pair& pair = pairs_.try_emplace(launch.work, in_tree).first->second;
        if (!pair.inner.valid() || pair.inner < node) pair.inner = node;
        if (!pair.outer.valid() || node < pair.outer) pair.outer = node;
      }
    }
  }

  bool empty() const { return pairs_.empty(); }
  // Nothing: the tree is right.
  const Pair* find(std::uint32_t work) const {
    if (pairs_.empty()) return nullptr;
    const auto found = pairs_.find(work);
    return found == pairs_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint32_t, Pair> pairs_;
};

// The rows of one group during the walk: flat lists, joined into OperatorRows at the end.
class OperatorTable {
 public:
  OperatorTable(const AttributedTrace& input, const std::vector<std::uint64_t>& flops_of_nodes)
      : input_(input),
        flops_of_nodes_(flops_of_nodes),
        crossed_(input),
        rows_(input.trace.strings()) {}

  void visit(const HostThread& thread, NodeId node);
  // Takes a runtime call out of the time that its caller was given, under TreeRules::kCompatible.
  // Call it after the caller's node was visited.
  void visit_call(std::size_t call);
  std::vector<OperatorRow> take();

 private:
  struct Operator {
    NameSums sums;
    std::int64_t self_host_ns = 0;
    std::int64_t self_device_ns = 0;
    std::uint64_t flops = 0;
  };
  struct Phase {
    std::size_t owner;  // operator row
    StringId name;
    SliceKind kind;
    NameSums sums;
  };
  struct Work {
    std::size_t owner;  // operator or phase row
    StringId name;
    SliceKind kind;
    TimeStat device;
  };

  void add_own_work(NodeId node);
  void visit_operator(const HostThread& thread, NodeId node);
  void visit_phases(const HostThread& thread, NodeId node, std::size_t owner);
  void visit_phase(const HostThread& thread, NodeId node, std::size_t owner);
  void visit_works(std::span<const std::uint32_t> launched, std::size_t owner, PairRows& rows,
                   std::vector<Work>& works);
  DeviceWorkRow named(const Work& work) const {
    return {std::string(input_.trace.strings()[work.name]), work.kind, work.device};
  }

  const AttributedTrace& input_;
  const std::vector<std::uint64_t>& flops_of_nodes_;
  CrossedOperators crossed_;
  NameRows rows_;
  PairRows phase_rows_;
  PairRows own_work_rows_;
  PairRows phase_work_rows_;
  std::vector<Operator> operators_;
  std::vector<Phase> phases_;
  std::vector<Work> own_works_;
  std::vector<Work> phase_works_;
};

void OperatorTable::visit(const HostThread& thread, NodeId node) {
  const OpTree& tree = input_.tree;
  if (tree.roles[node.index()] == SliceKind::kOperator) {
    visit_operator(thread, node);
    return;
  }
  const NodeId innermost = tree.operators[node.index()];
  if (innermost.valid() && tree.rules == TreeRules::kStrobe &&
      tree.parents[node.index()] == innermost) {
    visit_phase(thread, node, rows_.row_of(input_.name(innermost)));
  }
  add_own_work(node);
}

// An operator comes before everything that starts in it, so its row already exists.
void OperatorTable::add_own_work(NodeId node) {
  const auto launched = input_.works_of(node);
  if (launched.empty()) return;
  const NodeId innermost = input_.tree.operators[node.index()];
  if (crossed_.empty()) {
    if (!innermost.valid()) return;
    operators_[rows_.row_of(input_.name(innermost))].self_device_ns += input_.own_device_ns(node);
    return;
  }
  for (const std::uint32_t work : launched) {
    const CrossedOperators::Pair* crossed = crossed_.find(work);
    const NodeId op = crossed == nullptr ? innermost : crossed->inner;
    if (!op.valid()) continue;
    operators_[rows_.row_of(input_.name(op))].self_device_ns +=
        input_.trace.duration_ns(input_.attribution.works.slices[work]);
  }
}

void OperatorTable::visit_call(std::size_t call) {
  const NodeId owner = input_.attribution.calls.owners[call];
  if (input_.tree.roles[owner.index()] != SliceKind::kOperator) return;
  operators_[rows_.row_of(input_.name(owner))].self_host_ns -=
      input_.trace.duration_ns(input_.attribution.calls.slices[call]);
}

void OperatorTable::visit_operator(const HostThread& thread, NodeId node) {
  const std::size_t row = rows_.row_of(input_.name(node));
  if (row == operators_.size()) operators_.emplace_back();
  Operator& op = operators_[row];
  const bool adds_to_totals = op.sums.add(input_, thread, node);
  op.self_host_ns += self_host_ns(input_, node);
  if (adds_to_totals && !flops_of_nodes_.empty()) op.flops += flops_of_nodes_[node.index()];
  if (input_.tree.rules == TreeRules::kCompatible) visit_phases(thread, node, row);
  const std::span<const std::uint32_t> launched = input_.works_of(node);
  if (launched.empty()) return;
  if (crossed_.empty()) {
    op.self_device_ns += input_.own_device_ns(node);
  } else {
    add_own_work(node);
  }
  visit_works(launched, row, own_work_rows_, own_works_);
}

// Phases of one call in the order of time, though later calls are visited first.
void OperatorTable::visit_phases(const HostThread& thread, NodeId node, std::size_t owner) {
  const OpTree& tree = input_.tree;
  const std::size_t end = tree.subtree_ends[node.index()].index();
  for (std::size_t child = node.index() + 1; child < end;
       child = tree.subtree_ends[child].index()) {
    if (tree.roles[child] != SliceKind::kOperator) visit_phase(thread, NodeId(child), owner);
  }
}

void OperatorTable::visit_phase(const HostThread& thread, NodeId node, std::size_t owner) {
  const StringId name = input_.name(node);
  const std::size_t row = phase_rows_.row_of(static_cast<std::uint32_t>(owner), name.value);
  if (row == phases_.size()) {
    phases_.push_back({owner, name, input_.tree.roles[node.index()], {}});
  }
  phases_[row].sums.add(input_, thread, node);
  visit_works(input_.works_of(node), row, phase_work_rows_, phase_works_);
}

void OperatorTable::visit_works(std::span<const std::uint32_t> launched, std::size_t owner,
                                PairRows& rows, std::vector<Work>& works) {
  for (const std::uint32_t work : launched) {
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
    result[i].host = op.sums.host;
    result[i].device = op.sums.device;
    result[i].self_host_ns = op.self_host_ns;
    result[i].self_device_ns = op.self_device_ns;
    result[i].flops = op.flops;
  }
  std::vector<std::size_t> places;  // per phase: its index among its operator's phases
  for (const Phase& phase : phases_) {
    auto& rows = result[phase.owner].phases;
    places.push_back(rows.size());
    rows.push_back(
        {std::string(strings[phase.name]), phase.kind, phase.sums.host, phase.sums.device, {}});
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
      table.visit(thread, tree.node_at(i));
    }
    if (tree.rules == TreeRules::kCompatible) {
      for (std::size_t i = call_begins[t]; i < call_begins[t + 1]; ++i) table.visit_call(i);
    }
    if (separate_threads) close_group(std::string(input.trace.strings()[thread.thread]));
  }
  if (!separate_threads) close_group("");
  return groups;
}

namespace {

// Who launched which kernel for how long.
class LauncherTable {
 public:
  explicit LauncherTable(const AttributedTrace& input) : input_(input), crossed_(input) {}

  void add(std::size_t kernel, std::uint32_t work, std::int64_t device_ns) {
    const auto& works = input_.attribution.works;
    const NodeId origin = works.origin_of(work);
    const CrossedOperators::Pair* crossed = crossed_.find(work);
    if (crossed != nullptr && origin == works.owners[work]) {
      set_operators(crossed->inner, crossed->outer);
      owner_.reset();
    } else {
      find_operators(origin);
    }
    const std::size_t row =
        rows_.row_of(static_cast<std::uint32_t>(kernel), static_cast<std::uint32_t>(operators_));
    if (row == launched_.size()) launched_.push_back({kernel, operators_, 0});
    launched_[row].device_ns += device_ns;
  }
  void move_to(std::vector<KernelRow>& kernels) {
    for (const Launched& each : launched_) {
      const auto [inner, outer] = pairs_[each.operators];
      kernels[each.kernel].launchers.push_back(
          {name_of(inner), outer == inner ? "" : name_of(outer), each.device_ns});
    }
    for (KernelRow& kernel : kernels) {
      std::ranges::stable_sort(kernel.launchers, std::ranges::greater{},
                               &KernelLauncher::device_ns);
    }
  }

 private:
  struct Launched {
    std::size_t kernel;
    std::size_t operators;  // in pairs_
    std::int64_t device_ns;
  };

  // `owner`: of a work, invalid for orphans. Works come owner by owner, so the last answer often
  // serves again.
  void find_operators(NodeId owner) {
    if (owner_ == owner) return;
    owner_ = owner;
    const bool is_known = owner.valid() && input_.tree.operators[owner.index()].valid();
    set_operators(is_known ? input_.tree.operators[owner.index()] : NodeId(),
                  is_known ? input_.tree.outermost_operator(owner) : NodeId());
  }
  void set_operators(NodeId inner, NodeId outer) {
    const StringId inner_name = inner.valid() ? input_.name(inner) : StringId();
    const StringId outer_name = outer.valid() ? input_.name(outer) : StringId();
    operators_ = pair_rows_.row_of(inner_name.value, outer_name.value);
    if (operators_ == pairs_.size()) pairs_.push_back({inner_name, outer_name});
  }
  std::string name_of(StringId name) const {
    return name.valid() ? std::string(input_.trace.strings()[name]) : std::string();
  }

  const AttributedTrace& input_;
  CrossedOperators crossed_;
  PairRows pair_rows_;
  std::vector<std::pair<StringId, StringId>> pairs_;  // innermost and outermost
  PairRows rows_;
  std::vector<Launched> launched_;
  std::optional<NodeId> owner_;  // of the last work, and its operators
  std::size_t operators_ = 0;
};

}  // namespace

std::vector<KernelRow> list_kernels(const AttributedTrace& input) {
  const auto& works = input.attribution.works;
  const auto& slices = input.trace.slices();
  NameRows rows(input.trace.strings());
  LauncherTable launchers(input);
  std::vector<KernelRow> kernels;
  for (const std::uint32_t work : works.visiting_order) {
    const std::size_t slice = works.slices[work].index();
    if (slices.kinds[slice] != SliceKind::kKernel) continue;
    const std::size_t row = rows.row_of(slices.names[slice]);
    if (row == kernels.size()) kernels.emplace_back();
    kernels[row].device.add(slices.durations_ns[slice]);
    if ((slices.flags[slice] & kCommunicates) != 0) kernels[row].communicates = true;
    launchers.add(row, work, slices.durations_ns[slice]);
  }
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    kernels[row].name = std::string(input.trace.strings()[rows.name(row)]);
  }
  launchers.move_to(kernels);
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

  void add(const HostThread& thread, NodeId node) {
    Range& range = range_of(node);
    range.sums.add(input_, thread, node);
    range.self_host_ns += self_host_ns(input_, node);
  }
  // A runtime call inside a range that was added, under TreeRules::kCompatible.
  void add_call(NodeId owner, std::size_t call) {
    range_of(owner).self_host_ns -= input_.trace.duration_ns(input_.attribution.calls.slices[call]);
  }
  std::vector<UserRangeRow> take() {
    std::vector<UserRangeRow> result;
    result.reserve(ranges_.size());
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      const Range& range = ranges_[row];
      result.push_back({std::string(input_.trace.strings()[rows_.name(row)]), range.sums.host,
                        range.sums.device, range.self_host_ns});
    }
    rows_.clear();
    ranges_.clear();
    return result;
  }

 private:
  struct Range {
    NameSums sums;
    std::int64_t self_host_ns = 0;
  };
  Range& range_of(NodeId node) {
    const std::size_t row = rows_.row_of(input_.name(node));
    if (row == ranges_.size()) ranges_.emplace_back();
    return ranges_[row];
  }

  const AttributedTrace& input_;
  NameRows rows_;
  std::vector<Range> ranges_;
};

// Adds the ranges of one thread that belong into the table.
template <class Belongs>
void add_ranges(const AttributedTrace& input, std::size_t thread_number, Belongs belongs,
                RangeTable& table) {
  const OpTree& tree = input.tree;
  const HostThread& thread = tree.threads[thread_number];
  for (std::size_t i = thread.root.index(); i < thread.end.index(); ++i) {
    const NodeId node = tree.node_at(i);
    if (belongs(node)) table.add(thread, node);
  }
  if (tree.rules == TreeRules::kStrobe) return;
  const auto& calls = input.attribution.calls;
  const std::size_t end = calls.thread_begins[thread_number + 1];
  for (std::size_t call = calls.thread_begins[thread_number]; call < end; ++call) {
    if (belongs(calls.owners[call])) table.add_call(calls.owners[call], call);
  }
}

}  // namespace

std::vector<UserRangeRow> list_memory_ranges(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  if (!tree.has_role(SliceKind::kUserRange) && !tree.has_role(SliceKind::kAnnotation)) return {};
  OncePerName is_memory_name(input.trace.strings(), says_memory);
  RangeTable table(input);
  const auto belongs = [&](NodeId node) {
    const SliceKind role = tree.roles[node.index()];
    return (role == SliceKind::kUserRange || role == SliceKind::kAnnotation) &&
           is_memory_name(input.name(node));
  };
  for (std::size_t t = 0; t < tree.threads.size(); ++t) add_ranges(input, t, belongs, table);
  return table.take();
}

std::vector<ThreadGroup<UserRangeRow>> list_user_ranges(const AttributedTrace& input,
                                                        bool separate_threads) {
  const OpTree& tree = input.tree;
  if (!tree.has_role(SliceKind::kAnnotation)) return {};
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
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    add_ranges(input, t, belongs, table);
    if (separate_threads) {
      close_group(std::string(input.trace.strings()[tree.threads[t].thread]));
    }
  }
  if (!separate_threads) close_group("");
  return groups;
}

}  // namespace strobe::analysis
