#include "strobe/analysis/launches/op_tree.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

// Numbered processes and threads first, ascending; then the others by name. An asynchronous track
// is kept apart from a thread with the same process and thread.
auto thread_order(const Trace& trace, const Track& track) {
  const auto number_key = [](const std::optional<std::int64_t>& number) {
    return std::pair(!number.has_value(), number.value_or(0));
  };
  return std::tuple(number_key(track.process_number), trace.strings()[track.process],
                    number_key(track.thread_number), trace.strings()[track.thread],
                    track.kind == TrackKind::kAsync);
}

// What a track has for the trees.
struct HostTrack {
  std::size_t tree_slices = 0;  // of the selection
  bool is_host = false;         // has slices of tree kinds, selected or not, or runtime calls
};

std::vector<HostTrack> count_host_tracks(const Trace& trace, const TimeSelection& selection) {
  const auto& slices = trace.slices();
  const bool takes_all = selection.is_everything();
  std::vector<HostTrack> tracks(trace.tracks().size());
  TrackId latest;  // neighbours are often of one track
  std::size_t count = 0;
  const auto add = [&] {
    if (latest.valid()) tracks[latest.index()].tree_slices += count;
    count = 0;
  };
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const bool is_in_tree = is_tree_kind(slices.kinds[row]);
    if (!is_in_tree && slices.kinds[row] != SliceKind::kRuntimeCall) continue;
    if (slices.tracks[row] != latest) {
      add();
      latest = slices.tracks[row];
      tracks[latest.index()].is_host = true;
    }
    count += is_in_tree && (takes_all || selection.holds(slices.starts_ns[row])) ? 1 : 0;
  }
  add();
  return tracks;
}

// Tracks of one process and thread are one thread: some writers split it by language.
void find_threads(const Trace& trace, const std::vector<HostTrack>& host_tracks, OpTree& tree) {
  const auto& tracks = trace.tracks();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < tracks.size(); ++i) {
    if (host_tracks[i].is_host) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return thread_order(trace, tracks[a]) < thread_order(trace, tracks[b]);
  });
  tree.threads_of_tracks.assign(tracks.size(), OpTree::kNoThread);
  for (const std::uint32_t i : order) {
    const bool is_async = tracks[i].kind == TrackKind::kAsync;
    if (tree.threads.empty() || tree.threads.back().process != tracks[i].process ||
        tree.threads.back().thread != tracks[i].thread ||
        tree.threads.back().is_async != is_async) {
      tree.threads.push_back({tracks[i].process, tracks[i].thread, is_async, {}, {}});
    }
    tree.threads_of_tracks[i] = static_cast<std::uint32_t>(tree.threads.size() - 1);
  }
}

// Gives every thread room for its nodes, and puts its slices there in file order.
void place_slices(const Trace& trace, const TimeSelection& selection,
                  const std::vector<HostTrack>& host_tracks, OpTree& tree) {
  std::vector<std::size_t> counts(tree.threads.size());
  for (std::size_t track = 0; track < host_tracks.size(); ++track) {
    const std::uint32_t thread = tree.threads_of_tracks[track];
    if (thread != OpTree::kNoThread) counts[thread] += host_tracks[track].tree_slices;
  }
  std::vector<std::size_t> next(tree.threads.size());  // per thread: where its next slice goes
  std::size_t end = 0;
  for (std::size_t i = 0; i < tree.threads.size(); ++i) {
    tree.threads[i].root = NodeId(end);
    next[i] = end + 1;
    end += 1 + counts[i];
    tree.threads[i].end = NodeId(end);
  }
  tree.slices.resize(end);
  const auto& slices = trace.slices();
  const bool takes_all = selection.is_everything();
  TrackId latest;
  std::size_t thread = 0;
  std::size_t place = 0;  // next[thread] while slices of the latest track follow each other
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_tree_kind(slices.kinds[row])) continue;
    if (!takes_all && !selection.holds(slices.starts_ns[row])) continue;
    if (slices.tracks[row] != latest) {
      if (latest.valid()) next[thread] = place;
      latest = slices.tracks[row];
      thread = tree.threads_of_tracks[latest.index()];
      place = next[thread];
    }
    tree.slices[place++] = SliceId(row);
  }
}

// Whether the writer wrote the thread's ranges as they ended: inner ones before the outer one.
bool is_in_order_of_ends(const Trace& trace, std::span<const SliceId> slices) {
  bool is_in_order_of_starts = true;
  for (std::size_t i = 1; i < slices.size(); ++i) {
    if (trace.end_ns(slices[i]) < trace.end_ns(slices[i - 1])) return false;
    if (trace.start_ns(slices[i]) < trace.start_ns(slices[i - 1])) is_in_order_of_starts = false;
  }
  return !is_in_order_of_starts;
}

// What is known about the order of ranges on one thread besides their times. Where times are
// rounded, a short range may start and end at one moment, and only this tells what it is inside.
class RangeOrder {
 public:
  // `in_file_order`: the ranges of the thread.
  RangeOrder(const Trace& trace, std::span<const SliceId> in_file_order, TreeRules rules)
      : trace_(trace),
        uses_ids_(rules == TreeRules::kStrobe),
        file_has_ends_(uses_ids_ && is_in_order_of_ends(trace, in_file_order)) {}

  // By start, then the longer first, as it contains the other. An empty one has nothing to contain,
  // and of equal ones each may contain the other: these go by their ids.
  bool comes_before(SliceId a, SliceId b) const {
    const std::int64_t a_ns = trace_.start_ns(a);
    const std::int64_t b_ns = trace_.start_ns(b);
    if (a_ns != b_ns) return a_ns < b_ns;
    const std::int64_t a_end_ns = nest_end_ns(trace_, a);
    const std::int64_t b_end_ns = nest_end_ns(trace_, b);
    const bool one_is_empty = a_end_ns == a_ns || b_end_ns == b_ns;
    if ((one_is_empty || a_end_ns == b_end_ns) && have_ids(a, b)) return id_of(a) < id_of(b);
    return a_end_ns > b_end_ns;
  }

  // Whether an empty range is inside an earlier one that ends at the same moment. Only the order of
  // ends can tell; without it, ranges that are both empty nest as they started.
  bool is_inside_at_its_end(SliceId empty, SliceId earlier) const {
    if (!have_ids(empty, earlier) || id_of(empty) < id_of(earlier)) return false;
    if (file_has_ends_) return empty < earlier;
    return trace_.start_ns(earlier) == trace_.start_ns(empty);
  }

 private:
  // External ids count up as ranges start.
  std::uint32_t id_of(SliceId slice) const { return trace_.slices().externals[slice.index()]; }
  bool have_ids(SliceId a, SliceId b) const {
    return uses_ids_ && id_of(a) != kNoLaunchId && id_of(b) != kNoLaunchId;
  }

  const Trace& trace_;
  bool uses_ids_;
  bool file_has_ends_;
};

void resize_nodes(OpTree& tree) {
  const std::size_t count = tree.slices.size();
  tree.parents.resize(count);
  tree.subtree_ends.resize(count);
  tree.roles.resize(count);
  tree.operators.resize(count);
}

// The slices of the thread are in the given order.
void grow_thread(const Trace& trace, const HostThread& thread, const RangeOrder& order,
                 OpTree& tree) {
  const Column<SliceKind>& kinds = trace.slices().kinds;
  const std::span<const SliceId> slices(tree.slices);
  const std::span<NodeId> parents(tree.parents);
  const std::span<SliceKind> roles(tree.roles);
  const std::span<NodeId> operators(tree.operators);
  const bool nested_are_phases =
      tree.rules == TreeRules::kCompatible && trace.traits().nested_operators_are_phases;
  const std::size_t root = thread.root.index();
  tree.roles[root] = SliceKind::kOther;

  struct Open {
    NodeId node;
    std::int64_t end_ns;
  };
  std::vector<Open> open{{thread.root, kForever}};
  const auto close = [&](NodeId next) {
    tree.subtree_ends[open.back().node.index()] = next;
    open.pop_back();
  };
  const auto is_over = [&](const Open& range, SliceId next, std::int64_t start_ns,
                           std::int64_t end_ns) {
    if (start_ns != range.end_ns || end_ns != start_ns) return start_ns >= range.end_ns;
    return !order.is_inside_at_its_end(next, tree.slices[range.node.index()]);
  };
  for (NodeId node(root + 1); node < thread.end; ++node.value) {
    const SliceId slice = slices[node.index()];
    const std::int64_t start_ns = trace.start_ns(slice);
    const std::int64_t end_ns = nest_end_ns(trace, slice);
    while (is_over(open.back(), slice, start_ns, end_ns)) close(node);
    if (end_ns > open.back().end_ns) {
      ++tree.crossings;
      for (; end_ns > open.back().end_ns; close(node)) tree.crossed.push_back(open.back().node);
    }
    const NodeId parent = open.back().node;
    const NodeId above = operators[parent.index()];
    SliceKind role = kinds[slice.index()];
    if (nested_are_phases && role == SliceKind::kOperator && above.valid()) {
      role = SliceKind::kOperatorPhase;
    }
    parents[node.index()] = parent;
    roles[node.index()] = role;
    operators[node.index()] = role == SliceKind::kOperator ? node : above;
    open.push_back({node, end_ns});
    if (thread.is_async) close(NodeId(node.index() + 1));
  }
  while (!open.empty()) close(thread.end);
}

// A node's position follows its parent and the subtrees of all later siblings. Their sizes add up
// to the distance between the two subtree ends.
void find_visiting_order(OpTree& tree) {
  tree.positions.resize(tree.size());
  tree.visiting_order.resize(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const NodeId parent = tree.parents[i];
    const std::uint32_t position = parent.valid() ? tree.positions[parent.index()] + 1 +
                                                        tree.subtree_ends[parent.index()].value -
                                                        tree.subtree_ends[i].value
                                                  : static_cast<std::uint32_t>(i);
    tree.positions[i] = position;
    tree.visiting_order[position] = NodeId(i);
  }
}

}  // namespace

OpTree build_op_tree(const Trace& trace, const TimeSelection& selection, TreeRules rules) {
  OpTree tree;
  tree.rules = rules;
  const std::vector<HostTrack> host_tracks = count_host_tracks(trace, selection);
  find_threads(trace, host_tracks, tree);
  place_slices(trace, selection, host_tracks, tree);
  resize_nodes(tree);
  for (const HostThread& thread : tree.threads) {
    const std::span<SliceId> slices =
        std::span(tree.slices)
            .subspan(thread.root.index() + 1, thread.end.index() - thread.root.index() - 1);
    const RangeOrder order(trace, slices, rules);
    natural_sort(slices, [&](SliceId a, SliceId b) { return order.comes_before(a, b); });
    grow_thread(trace, thread, order, tree);
  }
  if (rules == TreeRules::kCompatible) find_visiting_order(tree);
  return tree;
}

NodeId find_node(const Trace& trace, const OpTree& tree, SliceId slice) {
  const HostThread* thread = tree.thread_of(trace.slices().tracks[slice.index()]);
  if (thread == nullptr) return {};
  const std::int64_t start_ns = trace.start_ns(slice);
  const auto at = [&](std::size_t node) {
    return tree.slices.begin() + static_cast<std::ptrdiff_t>(node);
  };
  auto found = std::lower_bound(
      at(thread->root.index() + 1), at(thread->end.index()), start_ns,
      [&](SliceId one, std::int64_t limit_ns) { return trace.start_ns(one) < limit_ns; });
  const auto end = at(thread->end.index());
  while (found != end && *found != slice && trace.start_ns(*found) == start_ns) ++found;
  if (found == end || *found != slice) return {};
  return NodeId(static_cast<std::size_t>(found - tree.slices.begin()));
}

std::vector<NodeId> nodes_of_slices(const Trace& trace, const OpTree& tree) {
  std::vector<NodeId> nodes(trace.slice_count());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (const SliceId slice = tree.slices[node]; slice.valid()) nodes[slice.index()] = NodeId(node);
  }
  return nodes;
}

}  // namespace strobe::analysis
