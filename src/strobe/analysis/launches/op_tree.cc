#include "strobe/analysis/launches/op_tree.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "strobe/base/natural_sort.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// From this many slices on, a track's list reserves room for all slices that may follow: untouched
// memory costs nothing, repeated growing does.
constexpr std::size_t kLongTrack = 4096;

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

// Host slices, track by track and in file order.
struct HostTracks {
  std::vector<std::vector<SliceId>> slices;  // per track: those of the tree
  std::vector<char> is_host;                 // per track: has slices of the tree, or runtime calls
};

HostTracks collect_host_tracks(const Trace& trace, const TimeSelection& selection) {
  const auto& slices = trace.slices();
  HostTracks tracks;
  tracks.slices.resize(trace.tracks().size());
  tracks.is_host.resize(trace.tracks().size());
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    const bool is_in_tree = is_tree_kind(kind);
    if (!is_in_tree && kind != SliceKind::kRuntimeCall) continue;
    const std::size_t track = slices.tracks[row].index();
    tracks.is_host[track] = 1;
    if (!is_in_tree || !selection.holds(slices.starts_ns[row])) continue;
    std::vector<SliceId>& list = tracks.slices[track];
    if (list.size() == kLongTrack) list.reserve(kLongTrack + slices.size() - row);
    list.push_back(SliceId(row));
  }
  return tracks;
}

// Tracks of one process and thread are one thread: some writers split it by language.
void find_threads(const Trace& trace, const std::vector<char>& is_host, OpTree& tree) {
  const auto& tracks = trace.tracks();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < tracks.size(); ++i) {
    if (is_host[i] != 0) order.push_back(i);
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

// Per thread its slices, in file order.
std::vector<std::vector<SliceId>> join_tracks(const OpTree& tree, HostTracks tracks) {
  std::vector<std::vector<SliceId>> threads(tree.threads.size());
  for (std::size_t track = 0; track < tracks.slices.size(); ++track) {
    const std::uint32_t thread = tree.threads_of_tracks[track];
    if (thread == OpTree::kNoThread) continue;
    std::vector<SliceId>& joined = threads[thread];
    const std::vector<SliceId>& more = tracks.slices[track];
    if (joined.empty()) {
      joined = std::move(tracks.slices[track]);
      continue;
    }
    joined.insert(joined.end(), more.begin(), more.end());
    natural_sort(joined, [](SliceId a, SliceId b) { return a < b; });
  }
  return threads;
}

void sort_nodes(const Trace& trace, std::vector<SliceId>& slices) {
  natural_sort(slices, [&](SliceId a, SliceId b) {
    const std::int64_t a_ns = trace.start_ns(a);
    const std::int64_t b_ns = trace.start_ns(b);
    return a_ns != b_ns ? a_ns < b_ns : nest_end_ns(trace, a) > nest_end_ns(trace, b);
  });
}

void resize_nodes(OpTree& tree, std::size_t count) {
  tree.slices.resize(count);
  tree.parents.resize(count);
  tree.roles.resize(count);
  tree.operators.resize(count);
}

void grow_thread(const Trace& trace, HostThread& thread, const std::vector<SliceId>& slices,
                 OpTree& tree) {
  const auto& kinds = trace.slices().kinds;
  const bool nested_are_phases = trace.traits().nested_operators_are_phases;
  const std::size_t root = thread.root.index();
  tree.roles[root] = SliceKind::kOther;

  struct Open {
    NodeId node;
    std::int64_t end_ns;
  };
  std::vector<Open> open{{thread.root, kForever}};
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const SliceId slice = slices[i];
    const std::int64_t start_ns = trace.start_ns(slice);
    const std::int64_t end_ns = nest_end_ns(trace, slice);
    while (start_ns >= open.back().end_ns) open.pop_back();
    if (end_ns > open.back().end_ns) {
      ++tree.crossings;
      while (end_ns > open.back().end_ns) open.pop_back();
    }
    const NodeId node(root + 1 + i);
    const NodeId parent = open.back().node;
    const NodeId above = tree.operators[parent.index()];
    SliceKind role = kinds[slice.index()];
    if (nested_are_phases && role == SliceKind::kOperator && above.valid()) {
      role = SliceKind::kOperatorPhase;
    }
    tree.slices[node.index()] = slice;
    tree.parents[node.index()] = parent;
    tree.roles[node.index()] = role;
    tree.operators[node.index()] = role == SliceKind::kOperator ? node : above;
    tree.nodes_of_slices[slice.index()] = node;
    if (!thread.is_async) open.push_back({node, end_ns});
  }
}

void find_subtree_ends(OpTree& tree) {
  tree.subtree_ends.resize(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    // Children come after their parent, so the largest end of its children is known by now.
    NodeId& end = tree.subtree_ends[i];
    if (!end.valid()) end = NodeId(i + 1);
    const NodeId parent = tree.parents[i];
    if (!parent.valid()) continue;
    NodeId& parents_end = tree.subtree_ends[parent.index()];
    if (!parents_end.valid()) parents_end = end;
  }
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

OpTree build_op_tree(const Trace& trace, const TimeSelection& selection) {
  OpTree tree;
  HostTracks tracks = collect_host_tracks(trace, selection);
  find_threads(trace, tracks.is_host, tree);
  std::vector<std::vector<SliceId>> slices = join_tracks(tree, std::move(tracks));
  std::size_t count = 0;
  for (std::size_t i = 0; i < tree.threads.size(); ++i) {
    tree.threads[i].root = NodeId(count);
    count += 1 + slices[i].size();
    tree.threads[i].end = NodeId(count);
  }
  resize_nodes(tree, count);
  tree.nodes_of_slices.resize(trace.slice_count());
  for (std::size_t i = 0; i < tree.threads.size(); ++i) {
    sort_nodes(trace, slices[i]);
    grow_thread(trace, tree.threads[i], slices[i], tree);
  }
  find_subtree_ends(tree);
  find_visiting_order(tree);
  return tree;
}

}  // namespace strobe::analysis
