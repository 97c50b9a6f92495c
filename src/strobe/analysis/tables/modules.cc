#include "strobe/analysis/tables/modules.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "strobe/analysis/launches/new_time.h"
#include "strobe/base/row_index.h"

namespace strobe::analysis {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

// Writers prefix the name with the kind: "nn.Module: Linear_3".
std::string_view module_name(std::string_view text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

struct FlatRows {
  std::vector<ModuleRow> rows;
  std::vector<std::uint32_t> parents;  // kNoRow at the top; before its children
};

FlatRows add_up_modules(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  FlatRows flat;
  PairRows index;
  std::vector<NewTime> own_times;     // per row
  std::vector<NewTime> inside_times;  // per row: of the modules directly inside
  std::vector<std::uint32_t> rows_of_nodes(tree.size(), kNoRow);  // the innermost enclosing module
  NodeId thread;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const NodeId node(i);
    if (tree.is_thread(node)) {
      thread = node;
      continue;
    }
    const std::uint32_t around = rows_of_nodes[tree.parents[i].index()];
    rows_of_nodes[i] = around;
    const SliceId slice = tree.slices[i];
    if ((input.trace.slices().flags[slice.index()] & kModule) == 0) continue;
    const std::size_t row = index.row_of(around, input.name(node).value);
    if (row == flat.rows.size()) {
      flat.rows.emplace_back();
      flat.rows.back().name = module_name(input.trace.name(slice));
      flat.rows.back().first = slice;
      flat.parents.push_back(around);
      own_times.emplace_back();
      inside_times.emplace_back();
    }
    rows_of_nodes[i] = static_cast<std::uint32_t>(row);
    const Interval call = input.trace.interval(slice);
    const std::int64_t host_ns = own_times[row].add_ns(thread, call);
    const std::int64_t device_ns = input.device_ns(node);
    ModuleRow& sums = flat.rows[row];
    ++sums.calls;
    sums.host_ns += host_ns;
    sums.host_self_ns += host_ns;
    sums.device_ns += device_ns;
    sums.device_self_ns += device_ns;
    if (around == kNoRow) continue;
    flat.rows[around].host_self_ns -= inside_times[around].add_ns(thread, call);
    flat.rows[around].device_self_ns -= device_ns;
  }
  return flat;
}

}  // namespace

std::vector<ModuleRow> list_modules(const AttributedTrace& input) {
  FlatRows flat = add_up_modules(input);
  std::vector<ModuleRow> top;
  // From last to first, so that a row has all its children before it moves to its parent.
  for (std::size_t i = flat.rows.size(); i-- > 0;) {
    std::ranges::reverse(flat.rows[i].children);
    auto& siblings = flat.parents[i] == kNoRow ? top : flat.rows[flat.parents[i]].children;
    siblings.push_back(std::move(flat.rows[i]));
  }
  std::ranges::reverse(top);
  return top;
}

}  // namespace strobe::analysis
