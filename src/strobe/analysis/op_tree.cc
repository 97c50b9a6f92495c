#include "strobe/analysis/op_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "strobe/analysis/natural_sort.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

struct Entry {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t row;
};

bool comes_before(const Entry& a, const Entry& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

// Numbered processes and threads first, ascending; then the others by their text.
auto sort_key(const Trace& trace, const Track& track) {
  const auto number_key = [](const std::optional<std::int64_t>& number) {
    return std::pair(!number.has_value(), number.value_or(0));
  };
  return std::tuple(number_key(track.process_number), trace.strings()[track.process],
                    number_key(track.thread_number), trace.strings()[track.thread]);
}

// Tracks of one process and thread are one thread: some writers split it by language.
void find_threads(const Trace& trace, OpTree& tree) {
  const auto& tracks = trace.tracks();
  const auto& slices = trace.slices();
  std::vector<bool> is_host(tracks.size());
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const SliceKind kind = slices.kinds[row];
    if (is_tree_kind(kind) || kind == SliceKind::kRuntimeCall) {
      is_host[slices.tracks[row].index()] = true;
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < tracks.size(); ++i) {
    if (is_host[i] && tracks[i].kind != TrackKind::kAsync) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sort_key(trace, tracks[a]) < sort_key(trace, tracks[b]);
  });
  tree.threads_of_tracks.assign(tracks.size(), OpTree::kNoThread);
  for (const std::uint32_t i : order) {
    if (tree.threads.empty() || tree.threads.back().process != tracks[i].process ||
        tree.threads.back().thread != tracks[i].thread) {
      tree.threads.push_back({tracks[i].process, tracks[i].thread, {}, {}});
    }
    tree.threads_of_tracks[i] = static_cast<std::uint32_t>(tree.threads.size() - 1);
  }
}

std::vector<std::vector<Entry>> collect_entries(const Trace& trace, const TimeSelection& selection,
                                                const OpTree& tree) {
  const auto& slices = trace.slices();
  const auto& nest_ends_ns = trace.nesting_hints().ends_ns;
  std::vector<std::size_t> counts(tree.threads.size());
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_tree_kind(slices.kinds[row])) continue;
    const std::uint32_t thread = tree.threads_of_tracks[slices.tracks[row].index()];
    if (thread != OpTree::kNoThread) ++counts[thread];
  }
  std::vector<std::vector<Entry>> entries(tree.threads.size());
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].reserve(counts[i]);
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (!is_tree_kind(slices.kinds[row]) || !selection.holds(slices.starts_ns[row])) continue;
    const std::uint32_t thread = tree.threads_of_tracks[slices.tracks[row].index()];
    if (thread == OpTree::kNoThread) continue;
    const std::int64_t start_ns = slices.starts_ns[row];
    const std::int64_t end_ns =
        nest_ends_ns.empty() ? start_ns + slices.durations_ns[row] : nest_ends_ns[row];
    entries[thread].push_back({start_ns, end_ns, static_cast<std::uint32_t>(row)});
  }
  return entries;
}

void reserve_nodes(OpTree& tree, std::size_t count) {
  tree.slices.reserve(count);
  tree.parents.reserve(count);
  tree.roles.reserve(count);
  tree.operators.reserve(count);
  tree.starts_ns.reserve(count);
  tree.ends_ns.reserve(count);
}

NodeId add_node(OpTree& tree, SliceId slice, NodeId parent, SliceKind role, const Entry& entry) {
  const NodeId node(tree.size());
  tree.slices.push_back(slice);
  tree.parents.push_back(parent);
  tree.roles.push_back(role);
  tree.starts_ns.push_back(entry.start_ns);
  tree.ends_ns.push_back(entry.end_ns);
  if (role == SliceKind::kOperator) {
    tree.operators.push_back(node);
  } else {
    tree.operators.push_back(parent.valid() ? tree.operators[parent.index()] : NodeId());
  }
  return node;
}

void grow_thread(const Trace& trace, HostThread& thread, const std::vector<Entry>& entries,
                 OpTree& tree) {
  const auto& kinds = trace.slices().kinds;
  const bool nested_are_phases = trace.traits().nested_operators_are_phases;
  thread.root = add_node(tree, {}, {}, SliceKind::kOther, {-kForever, kForever, 0});
  NodeId open = thread.root;  // the deepest range still open; its parents are the others
  for (const Entry& entry : entries) {
    while (entry.start_ns >= tree.ends_ns[open.index()]) open = tree.parents[open.index()];
    if (entry.end_ns > tree.ends_ns[open.index()]) {
      ++tree.crossings;
      while (entry.end_ns > tree.ends_ns[open.index()]) open = tree.parents[open.index()];
    }
    SliceKind role = kinds[entry.row];
    if (nested_are_phases && role == SliceKind::kOperator && tree.operators[open.index()].valid()) {
      role = SliceKind::kOperatorPhase;
    }
    open = add_node(tree, SliceId(entry.row), open, role, entry);
    tree.nodes_of_slices[entry.row] = open;
  }
  thread.end = NodeId(tree.size());
}

void find_subtree_ends(OpTree& tree) {
  tree.subtree_ends.resize(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    // Children stand behind their parent, so the largest end of theirs has arrived by now.
    NodeId& end = tree.subtree_ends[i];
    if (!end.valid()) end = NodeId(i + 1);
    const NodeId parent = tree.parents[i];
    if (!parent.valid()) continue;
    NodeId& parents_end = tree.subtree_ends[parent.index()];
    if (!parents_end.valid()) parents_end = end;
  }
}

// A node stands behind its parent and behind the subtrees of all later siblings, whose sizes add up
// to the distance of the two subtree ends.
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
  find_threads(trace, tree);
  std::vector<std::vector<Entry>> entries = collect_entries(trace, selection, tree);
  std::size_t count = tree.threads.size();
  for (const auto& list : entries) count += list.size();
  reserve_nodes(tree, count);
  tree.nodes_of_slices.resize(trace.slice_count());
  for (std::size_t i = 0; i < tree.threads.size(); ++i) {
    natural_sort(entries[i], comes_before);
    grow_thread(trace, tree.threads[i], entries[i], tree);
  }
  find_subtree_ends(tree);
  find_visiting_order(tree);
  return tree;
}

}  // namespace strobe::analysis
