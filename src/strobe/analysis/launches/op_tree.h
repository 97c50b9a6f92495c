#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// The selected part of a trace: what starts inside certain intervals, or everything.
class TimeSelection {
 public:
  TimeSelection() = default;
  explicit TimeSelection(IntervalSet intervals) : intervals_(std::move(intervals)) {}

  bool is_everything() const { return !intervals_; }
  bool holds(std::int64_t start_ns) const {
    if (!intervals_) return true;
    const auto after = std::upper_bound(
        intervals_->begin(), intervals_->end(), start_ns,
        [](std::int64_t time_ns, const Interval& interval) { return time_ns < interval.start_ns; });
    return after != intervals_->begin() && start_ns < (after - 1)->end_ns;
  }

 private:
  std::optional<IntervalSet> intervals_;
};

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// Whose definitions a tree and its tables follow.
enum class TreeRules : std::uint8_t {
  kStrobe,      // docs/summary.md: an operator is an operator at every depth, no time counts twice
  kCompatible,  // the classic tables: an operator below another one is its phase where the trace's
                // traits say so, and work outside every host range counts for kernels only
};

struct NodeTag;
using NodeId = Id<NodeTag>;

// A host thread and its tree: the nodes [root, end); the first one represents the thread itself.
struct HostThread {
  StringId process;
  StringId thread;
  bool is_async = false;
  NodeId root;
  NodeId end;
};

// The host ranges of all threads as trees, in flat columns. The nodes of a thread are sorted by
// start (then the longer first, then by external id, then file order), which makes the order a
// preorder:
//
//     |------ a ------|  |- d -|       node     root a b c d
//       |- b -| |- c -|                parent        r a a r
//                                      subtree end 5 4 3 4 5
//
// so a subtree is a range, a parent comes before its children, and sums over subtrees are one loop
// backwards. Touching ranges are siblings; so are an empty range and one that ends where it is,
// unless the trace's external ids and the order of the file say that it is inside (times may be
// rounded). A range that crosses the end of an earlier one becomes its sibling: traces are not
// always nested, and a tree must be. On an asynchronous track ranges overlap without one having
// called the other, so each range there is a direct child of the track.
struct OpTree {
  static constexpr std::uint32_t kNoThread = std::numeric_limits<std::uint32_t>::max();

  TreeRules rules = TreeRules::kStrobe;
  std::vector<HostThread> threads;  // by process number, then thread number
  std::vector<std::uint32_t> threads_of_tracks;

  // Per node.
  std::vector<SliceId> slices;  // invalid for a thread itself
  std::vector<NodeId> parents;  // invalid for a thread itself
  std::vector<NodeId> subtree_ends;
  // The slice's kind, except that TreeRules::kCompatible makes an operator below another one a
  // kOperatorPhase where the trace's traits say so; kOther for a thread itself.
  std::vector<SliceKind> roles;
  std::vector<NodeId> operators;  // the innermost node with the role kOperator at or above

  // The order in which the classic tables list their rows, only under TreeRules::kCompatible:
  // thread by thread, parents before their children, later siblings (with everything below them)
  // before earlier ones.
  std::vector<NodeId> visiting_order;
  std::vector<std::uint32_t> positions;  // per node: its place in visiting_order

  std::uint64_t crossings = 0;  // ranges that ended after the one they started in
  std::vector<NodeId>
      crossed;  // those they started in: their time goes on outside of their subtree

  std::size_t size() const { return slices.size(); }
  bool is_thread(NodeId node) const { return !slices[node.index()].valid(); }
  // The place of a node in the order of the tables, and the node at a place. strobe's own tables go
  // by start, as the nodes do.
  std::uint32_t position_of(NodeId node) const {
    return positions.empty() ? node.value : positions[node.index()];
  }
  NodeId node_at(std::size_t position) const {
    return visiting_order.empty() ? NodeId(position) : visiting_order[position];
  }
  bool has_role(SliceKind role) const {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  }
  const HostThread* thread_of(TrackId track) const {
    const std::uint32_t thread = threads_of_tracks[track.index()];
    return thread == kNoThread ? nullptr : &threads[thread];
  }
  // The outermost node with the role kOperator at or above a node; invalid if there is none.
  NodeId outermost_operator(NodeId node) const {
    NodeId outermost = operators[node.index()];
    while (outermost.valid()) {
      const NodeId above = operators[parents[outermost.index()].index()];
      if (!above.valid()) break;
      outermost = above;
    }
    return outermost;
  }
};

// Where a slice ends for nesting: see NestingHints.
inline std::int64_t nest_end_ns(const Trace& trace, SliceId slice) {
  const auto& hints = trace.nesting_hints().ends_ns;
  return hints.empty() ? trace.end_ns(slice) : hints[slice.index()];
}

OpTree build_op_tree(const Trace& trace, const TimeSelection& selection = {},
                     TreeRules rules = TreeRules::kStrobe);

// The node of a slice, by search; invalid if the slice is in no tree.
NodeId find_node(const Trace& trace, const OpTree& tree, SliceId slice);
// Per slice its node, for those who ask for most of them.
std::vector<NodeId> nodes_of_slices(const Trace& trace, const OpTree& tree);

}  // namespace strobe::analysis
