#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/cause_list.h"
#include "strobe/base/interval.h"

namespace strobe::analysis {

// A time with one cause: what a thread did in it.
struct IdleStretch {
  Interval interval;
  CauseId cause;
  CallId call;                               // for kRuntimeCall
  std::uint32_t thread = OpTree::kNoThread;  // that shows it
  IdleKind kind = IdleKind::kNothing;        // of the cause
};

// Calls `use` with the stretches of a thread, joined where one only goes on with the last.
template <class Use>
class StretchJoiner {
 public:
  StretchJoiner(std::uint32_t thread, Use& use) : use_(use) { last_.thread = thread; }

  // What the thread shows from this time on. By ascending time, then end().
  void show(std::int64_t time_ns, CauseId cause, IdleKind kind, CallId call = {}) {
    if (cause == last_.cause && call == last_.call) return;
    end(time_ns);
    last_.interval.start_ns = time_ns;
    last_.cause = cause;
    last_.call = call;
    last_.kind = kind;
  }
  void end(std::int64_t time_ns) {
    if (!last_.cause.valid()) return;
    last_.interval.end_ns = time_ns;
    use_(std::as_const(last_));
  }

 private:
  Use& use_;
  IdleStretch last_;
};

// The innermost operator at or above the node, or else the innermost other range; a step is none.
// Invalid if there is neither.
NodeId operator_or_range(const OpTree& tree, NodeId node);

// What a thread did, as far as runtime calls and ranges show it: at each moment the first that
// holds of the outermost open runtime call, the innermost open data loading, the innermost
// operator, the innermost other range that is not a step; else nothing.
class ThreadActivity {
 public:
  // `causes` must outlive it.
  ThreadActivity(const AttributedTrace& input, std::uint32_t thread, CauseList& causes);

  // Calls `use` with the stretches of a part of the time. Parts come by ascending start and do not
  // overlap.
  template <class Use>
  void list(Interval part, Use&& use) {
    StretchJoiner<Use> joiner(thread_, use);
    std::int64_t time_ns = part.start_ns;
    while (call_interval_.end_ns <= time_ns) load_call(call_ + 1);
    while (time_ns < part.end_ns) {
      if (call_interval_.start_ns > time_ns) {
        const std::int64_t until_ns = std::min(call_interval_.start_ns, part.end_ns);
        list_ranges({time_ns, until_ns}, joiner);
        time_ns = until_ns;
        continue;
      }
      joiner.show(time_ns, cause_of_call(), IdleKind::kRuntimeCall, CallId(call_));
      if (call_interval_.end_ns > part.end_ns) break;
      time_ns = call_interval_.end_ns;
      do load_call(call_ + 1);
      while (call_interval_.end_ns <= time_ns);
    }
    joiner.end(part.end_ns);
  }

 private:
  // An open range, and what all open ones up to it say together.
  struct Open {
    std::int64_t end_ns = 0;
    std::int64_t first_end_ns = 0;  // of it and those before: ranges may cross
    NodeId node;
    CauseId cause;
    IdleKind kind = IdleKind::kNothing;
  };
  // What is shown changes when the next range starts or one of the open ones ends.
  template <class Joiner>
  void list_ranges(Interval part, Joiner& joiner) {
    skip_to(part.start_ns);
    for (std::int64_t time_ns = part.start_ns;;) {
      const Open& innermost = open_.back();
      const bool starts = node_interval_.start_ns < innermost.first_end_ns;
      const std::int64_t change_ns = starts ? node_interval_.start_ns : innermost.first_end_ns;
      if (change_ns > time_ns) {
        joiner.show(time_ns, innermost.cause, innermost.kind);
        if (change_ns >= part.end_ns) return;
        time_ns = change_ns;
      }
      if (starts) {
        open_node(change_ns);
      } else {
        drop_ended(change_ns);
      }
    }
  }
  void skip_to(std::int64_t time_ns) {
    if (open_.back().first_end_ns <= time_ns) drop_ended(time_ns);
    while (node_interval_.start_ns <= time_ns) open_node(time_ns);
  }
  // A range that has ended already is skipped with all that it contains.
  void open_node(std::int64_t time_ns) {
    if (node_interval_.end_ns <= time_ns) {
      node_ = input_.tree.subtree_ends[node_].index();
    } else {
      open(NodeId(node_), node_interval_.end_ns);
      ++node_;
    }
    load_node();
  }
  // Data loading says more than what is open inside or around it, and an operator more than the
  // ranges inside or around it.
  void open(NodeId node, std::int64_t end_ns) {
    const Open& around = open_.back();
    const std::int64_t first_end_ns = std::min(around.first_end_ns, end_ns);
    CauseId cause = around.cause;
    IdleKind kind = around.kind;
    if (input_.tree.roles[node.index()] != SliceKind::kOperator) {
      show_other_range(node, cause, kind);
    } else if (kind >= IdleKind::kOperator) {
      kind = IdleKind::kOperator;
      cause = causes_.of_operator(input_.name(node));
    }
    open_.push_back({end_ns, first_end_ns, node, cause, kind});
  }
  void drop_ended(std::int64_t time_ns) {
    while (open_.back().end_ns <= time_ns) open_.pop_back();
    if (open_.back().first_end_ns <= time_ns) drop_crossed(time_ns);
  }
  void load_node() {
    node_interval_ =
        node_ < nodes_end_ ? input_.trace.interval(input_.tree.slices[node_]) : kEndOfTime;
  }
  void load_call(std::size_t first);
  void show_other_range(NodeId node, CauseId& cause, IdleKind& kind);
  void drop_crossed(std::int64_t time_ns);
  CauseId cause_of_call();

  static constexpr Interval kEndOfTime = {kForever, kForever};

  const AttributedTrace& input_;
  CauseList& causes_;
  CauseId nothing_;
  std::uint32_t thread_;
  std::size_t call_;  // the first that has not ended
  std::size_t calls_end_;
  std::size_t node_;  // the next to start
  std::size_t nodes_end_;
  Interval call_interval_;  // of call_ and node_; at the end of time if there is none
  Interval node_interval_;
  std::vector<Open> open_;  // the first one never ends and shows nothing
};

}  // namespace strobe::analysis
