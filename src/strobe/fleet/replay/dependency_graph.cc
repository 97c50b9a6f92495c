#include "strobe/fleet/replay/dependency_graph.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>

#include <fmt/format.h>

namespace strobe::fleet {
namespace {

using Places = std::vector<std::uint32_t>;  // of operations, in the order of their starts

// Clocks and records are this inexact, in seconds.
constexpr double kSlack_s = 50e-6;

enum class Direction : std::uint8_t { kForward, kBackward };
enum class End : std::uint8_t { kSend, kReceive };

OpType compute_of(Direction direction) {
  return direction == Direction::kForward ? OpType::kForwardCompute : OpType::kBackwardCompute;
}
OpType transfer_type(Direction direction, End end) {
  if (direction == Direction::kForward) {
    return end == End::kSend ? OpType::kForwardSend : OpType::kForwardRecv;
  }
  return end == End::kSend ? OpType::kBackwardSend : OpType::kBackwardRecv;
}

class GraphBuilder {
 public:
  explicit GraphBuilder(const OperationTable& table)
      : table_(table),
        has_data_parallelism_(table.data_ranks.size() > 1),
        group_of_(table.operations.size(), kNoGroup),
        predecessors_(table.operations.size()),
        by_stage_(static_cast<std::size_t>(table.sizes.stages)) {
    for (std::uint32_t i = 0; i < table.operations.size(); ++i) {
      const Operation& operation = table.operations[i];
      by_stage_[static_cast<std::size_t>(operation.stage)][static_cast<std::size_t>(operation.type)]
          .push_back(i);
      has_overlap_ |= operation.type == OpType::kSeparateAllReduce;
    }
    has_overlap_ &= has_data_parallelism_;
  }

  Result<DependencyGraph> build() {
    for (std::int32_t stage = 0; stage < table_.sizes.stages; ++stage) {
      link_computes(stage);
      if (has_data_parallelism_) link_data_parallelism(stage);
      link_tail(stage);
    }
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      link_transfers(direction);
    }
    join_across_ranks();
    join_embeddings();
    return in_order();
  }

 private:
  static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

  const Places& of(std::int32_t stage, OpType type) const {
    return by_stage_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(type)];
  }
  Places in_start_order(std::int32_t stage, OpType one, OpType other) const {
    Places both;
    std::ranges::merge(of(stage, one), of(stage, other), std::back_inserter(both));
    return both;
  }
  Places computes(std::int32_t stage) const {
    return in_start_order(stage, OpType::kForwardCompute, OpType::kBackwardCompute);
  }
  std::int32_t last_stage() const { return table_.sizes.stages - 1; }
  // As the first data-parallel rank recorded it in the first step.
  double start_s(std::uint32_t operation) const {
    return table_.start_s[operation * table_.lanes()];
  }
  double end_s(std::uint32_t operation) const { return table_.end_s[operation * table_.lanes()]; }

  void link(std::uint32_t before, std::uint32_t after) { predecessors_[after].push_back(before); }
  void link_chain(const Places& chain) {
    for (std::size_t i = 1; i < chain.size(); ++i) link(chain[i - 1], chain[i]);
  }

  void link_computes(std::int32_t stage) { link_chain(computes(stage)); }

  // Parameters are gathered before the first use of a chunk. With overlap, gradients are reduced
  // as soon as those of a chunk are complete.
  void link_data_parallelism(std::int32_t stage) {
    link_chain(in_start_order(stage, OpType::kParamsAllGather, OpType::kReduceScatter));
    for (std::int32_t chunk = 0; chunk < table_.sizes.chunks; ++chunk) {
      const auto in_chunk = [&](std::uint32_t i) { return table_.operations[i].chunk == chunk; };
      const auto first = [&](OpType type) -> std::optional<std::uint32_t> {
        const auto found = std::ranges::find_if(of(stage, type), in_chunk);
        if (found == of(stage, type).end()) return std::nullopt;
        return *found;
      };
      const auto last = [&](OpType type) -> std::optional<std::uint32_t> {
        const Places& all = of(stage, type);
        const auto found = std::find_if(all.rbegin(), all.rend(), in_chunk);
        if (found == all.rend()) return std::nullopt;
        return *found;
      };
      const auto link_some = [&](std::optional<std::uint32_t> before,
                                 std::optional<std::uint32_t> after) {
        if (before && after) link(*before, *after);
      };
      link_some(last(OpType::kParamsAllGather), first(OpType::kForwardCompute));
      if (has_overlap_) link_some(last(OpType::kBackwardCompute), first(OpType::kReduceScatter));
    }
  }

  // What follows the passes of a stage, one after the other.
  void link_tail(std::int32_t stage) {
    Places tail;
    const auto append = [&](OpType type) {
      std::ranges::copy(of(stage, type), std::back_inserter(tail));
    };
    if (const Places passes = computes(stage); !passes.empty()) tail.push_back(passes.back());
    append(OpType::kGc);
    const std::size_t reduced = tail.size();
    append(OpType::kLayernormAllReduce);
    if (stage == 0 || stage == last_stage()) append(OpType::kEmbeddingAllReduce);
    if (has_overlap_) {
      append(OpType::kSeparateAllReduce);
    } else if (has_data_parallelism_) {
      append(OpType::kReduceScatter);
    }
    append(OpType::kClip);
    append(OpType::kOptimizer);
    link_chain(tail);
    const Places& scatters = of(stage, OpType::kReduceScatter);
    if (has_overlap_ && !scatters.empty() && reduced < tail.size()) {
      link(scatters.back(), tail[reduced]);
    }
  }

  // Transfers that move nothing are recorded too: they stand alone.
  bool is_in_time(std::uint32_t transfer, End end, const Places& computes) const {
    if (end == End::kSend) return end_s(transfer) >= end_s(computes.front()) - kSlack_s;
    return start_s(transfer) <= start_s(computes.back()) + kSlack_s;
  }

  bool has_peer(std::uint32_t compute, Direction direction, End end) const {
    const bool goes_up = (direction == Direction::kForward) == (end == End::kSend);
    const std::int32_t peer = table_.operations[compute].global_chunk + (goes_up ? 1 : -1);
    const auto chunks = static_cast<std::int64_t>(table_.sizes.stages) * table_.sizes.chunks;
    return peer >= 0 && peer < chunks;
  }

  struct Transfer {
    std::uint32_t operation;
    std::uint32_t compute;  // to which it belongs
  };
  std::vector<Transfer> real_transfers(std::int32_t stage, Direction direction, End end) const {
    const Places& computes = of(stage, compute_of(direction));
    std::vector<Transfer> real;
    if (computes.empty()) return real;
    Places in_time;
    for (const std::uint32_t transfer : of(stage, transfer_type(direction, end))) {
      if (is_in_time(transfer, end, computes)) in_time.push_back(transfer);
    }
    // The first pass of an outer stage may have its input already.
    const bool is_outer = stage == 0 || stage == last_stage();
    const std::size_t skipped =
        end == End::kReceive && is_outer && in_time.size() + 1 == computes.size() ? 1 : 0;
    for (std::size_t k = 0; k < in_time.size() && k + skipped < computes.size(); ++k) {
      const std::uint32_t compute = computes[k + skipped];
      if (has_peer(compute, direction, end)) real.push_back({in_time[k], compute});
    }
    return real;
  }

  void link_stream(std::int32_t stage, Direction direction, End end,
                   const std::vector<Transfer>& transfers) {
    const Places& passes = of(stage, compute_of(direction));
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      const auto [operation, compute] = transfers[k];
      if (k > 0) link(transfers[k - 1].operation, operation);
      if (end == End::kSend) {
        link(compute, operation);
        continue;
      }
      link(operation, compute);
      const auto place = std::ranges::lower_bound(passes, compute);
      if (place != passes.begin()) link(*std::prev(place), operation);
    }
  }

  // Before the first backward pass a stage exchanges nothing backwards until it has begun the last
  // of its forward passes.
  void link_warm_up(std::int32_t stage, const std::vector<Transfer>& transfers) {
    if (transfers.empty()) return;
    const Places& forward = of(stage, OpType::kForwardCompute);
    const Places& backward = of(stage, OpType::kBackwardCompute);
    const auto before =
        backward.empty() ? forward.end() : std::ranges::lower_bound(forward, backward.front());
    if (before - forward.begin() < 2) return;
    link(*(before - 2), transfers.front().operation);
  }

  void link_transfers(Direction direction) {
    const std::int32_t stages = table_.sizes.stages;
    std::vector<std::vector<Transfer>> receives;
    std::vector<std::vector<Transfer>> sends;
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      receives.push_back(real_transfers(stage, direction, End::kReceive));
      sends.push_back(real_transfers(stage, direction, End::kSend));
      link_stream(stage, direction, End::kReceive, receives.back());
      link_stream(stage, direction, End::kSend, sends.back());
      if (direction == Direction::kForward) continue;
      link_warm_up(stage, receives.back());
      link_warm_up(stage, sends.back());
    }
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      const std::int32_t step = direction == Direction::kForward ? 1 : stages - 1;
      const auto& sent = sends[static_cast<std::size_t>(stage)];
      const auto& received = receives[static_cast<std::size_t>((stage + step) % stages)];
      for (std::size_t k = 0; k < std::min(sent.size(), received.size()); ++k) {
        join(Reach::kOneRank, {sent[k].operation, received[k].operation});
      }
    }
  }

  void join(Reach reach, const Places& members) {
    for (const std::uint32_t member : members) {
      group_of_[member] = static_cast<std::uint32_t>(groups_.size());
    }
    groups_.push_back({reach, members});
  }

  void join_across_ranks() {
    std::map<std::int32_t, Places> clips;  // of all stages, by sequence
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) {
      const Operation& operation = table_.operations[i];
      const bool is_data_parallel = operation.type == OpType::kParamsAllGather ||
                                    operation.type == OpType::kReduceScatter ||
                                    operation.type == OpType::kSeparateAllReduce;
      if (is_data_parallel) join(Reach::kAllRanks, {i});
      if (operation.type == OpType::kClip) clips[operation.sequence].push_back(i);
    }
    for (const auto& [sequence, members] : clips) join(Reach::kAllRanks, members);
  }

  void join_embeddings() {
    std::map<std::int32_t, Places> by_sequence;
    for (std::uint32_t i = 0; i < table_.operations.size(); ++i) {
      const auto& [type, sequence, stage, chunk, global_chunk] = table_.operations[i];
      const bool is_outer = stage == 0 || stage == last_stage();
      if (type == OpType::kEmbeddingAllReduce && is_outer) by_sequence[sequence].push_back(i);
    }
    for (const auto& [sequence, members] : by_sequence) join(Reach::kOneRank, members);
  }

  struct Joined {
    Reach reach;
    Places members;
  };

  // A group can be replayed when the predecessors of all members have been. Among those, first what
  // started first.
  Result<DependencyGraph> in_order() {
    for (std::uint32_t i = 0; i < group_of_.size(); ++i) {
      if (group_of_[i] == kNoGroup) join(Reach::kAlone, {i});
    }
    std::vector<Places> followers(groups_.size());
    std::vector<std::size_t> missing(groups_.size());
    for (std::uint32_t i = 0; i < predecessors_.size(); ++i) {
      missing[group_of_[i]] += predecessors_[i].size();
      for (const std::uint32_t before : predecessors_[i]) {
        followers[group_of_[before]].push_back(group_of_[i]);
      }
    }
    using Ready = std::pair<std::uint32_t, std::uint32_t>;  // first member, group
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto put = [&](std::uint32_t group) {
      ready.emplace(groups_[group].members.front(), group);
    };
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      if (missing[group] == 0) put(group);
    }
    DependencyGraph graph;
    while (!ready.empty()) {
      const std::uint32_t group = ready.top().second;
      ready.pop();
      append(graph, groups_[group]);
      for (const std::uint32_t follower : followers[group]) {
        if (--missing[follower] == 0) put(follower);
      }
    }
    if (graph.groups.size() < groups_.size()) return circle(missing);
    graph.predecessor_begin.push_back(0);
    for (const Places& before : predecessors_) {
      graph.predecessors.insert(graph.predecessors.end(), before.begin(), before.end());
      graph.predecessor_begin.push_back(static_cast<std::uint32_t>(graph.predecessors.size()));
    }
    return graph;
  }

  static void append(DependencyGraph& graph, const Joined& group) {
    graph.groups.push_back({.reach = group.reach,
                            .first_member = static_cast<std::uint32_t>(graph.members.size()),
                            .members = static_cast<std::uint32_t>(group.members.size())});
    graph.members.insert(graph.members.end(), group.members.begin(), group.members.end());
  }

  // Follows what is missing backwards until a group comes twice.
  Error circle(const std::vector<std::size_t>& missing) const {
    std::uint32_t group = 0;
    while (missing[group] == 0) ++group;
    std::vector<std::uint32_t> path;
    while (std::ranges::find(path, group) == path.end()) {
      path.push_back(group);
      group = missing_before(group, missing);
    }
    const Places& members = groups_[group].members;
    return {.code = ErrorCode::kMalformed,
            .what = fmt::format(
                "{} would wait for itself: the operations of step {} wait for each other in a "
                "circle",
                name_of(table_.operations[members.front()]), table_.steps.front()),
            .where = {},
            .hint =
                "check the times and seq_id of the first step: sends and receives of two "
                "stages are paired in the order of their starts"};
  }
  std::uint32_t missing_before(std::uint32_t group, const std::vector<std::size_t>& missing) const {
    for (const std::uint32_t member : groups_[group].members) {
      for (const std::uint32_t before : predecessors_[member]) {
        if (missing[group_of_[before]] > 0) return group_of_[before];
      }
    }
    return group;
  }

  const OperationTable& table_;
  bool has_data_parallelism_;
  bool has_overlap_ = false;
  std::vector<Joined> groups_;
  std::vector<std::uint32_t> group_of_;
  std::vector<Places> predecessors_;
  std::vector<std::array<Places, static_cast<std::size_t>(OpType::kCount_)>> by_stage_;
};

}  // namespace

std::span<const std::uint32_t> DependencyGraph::predecessors_of(std::uint32_t operation) const {
  return std::span(predecessors)
      .subspan(predecessor_begin[operation],
               predecessor_begin[operation + 1] - predecessor_begin[operation]);
}

std::span<const std::uint32_t> DependencyGraph::members_of(const Group& group) const {
  return std::span(members).subspan(group.first_member, group.members);
}

Result<DependencyGraph> build_graph(const OperationTable& table) {
  return GraphBuilder(table).build();
}

}  // namespace strobe::fleet
