#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/diff_view.h"

namespace strobe::tensorboard {
namespace {

using Nodes = std::span<const NodeId>;

DiffSide top_of(const Forest& forest) {
  const auto& children = forest[forest.trees.front().root].children;
  DiffSide below_steps;
  bool has_step = false;
  for (const NodeId id : children) {
    if (forest[id].node_class != NodeClass::kStep) continue;
    has_step = true;
    below_steps.insert(below_steps.end(), forest[id].children.begin(), forest[id].children.end());
  }
  return has_step ? below_steps : children;
}

bool is_landmark(const Node& node) {
  return node.node_class != NodeClass::kOp && node.node_class != NodeClass::kLightningModule;
}

class Comparison {
 public:
  Comparison(const Profile& left, const Profile& right) : left_(left), right_(right) {}

  std::vector<DiffNode> compare() {
    rows_.push_back({top_of(left_.forest()), top_of(right_.forest()), {}});
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const DiffSide left = rows_[row].left;
      const DiffSide right = rows_[row].right;
      if (left.size() == 1 && right.size() == 1) {
        divide(row, left_.forest()[left.front()].children, right_.forest()[right.front()].children);
      } else if (left.size() > 1 && right.size() > 1) {
        divide(row, left, right);
      }
    }
    return std::move(rows_);
  }

 private:
  void divide(std::size_t parent, Nodes left, Nodes right) {
    const auto pairs = pair_landmarks(left, right);
    if (pairs.empty()) return;
    std::size_t left_done = 0;
    std::size_t right_done = 0;
    for (const auto& [l, r] : pairs) {
      add(parent, left.subspan(left_done, l - left_done),
          right.subspan(right_done, r - right_done));
      add(parent, left.subspan(l, 1), right.subspan(r, 1));
      left_done = l + 1;
      right_done = r + 1;
    }
    add(parent, left.subspan(left_done), right.subspan(right_done));
  }

  std::vector<std::pair<std::size_t, std::size_t>> pair_landmarks(Nodes left, Nodes right) const {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::size_t passed = 0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      if (!is_landmark(left_.forest()[left[l]])) continue;
      for (std::size_t r = passed; r < right.size(); ++r) {
        if (!is_same(left[l], right[r])) continue;
        pairs.emplace_back(l, r);
        passed = r + 1;
        break;
      }
    }
    return pairs;
  }

  bool is_same(NodeId left, NodeId right) const {
    const Node& a = left_.forest()[left];
    const Node& b = right_.forest()[right];
    return a.node_class == b.node_class && left_.events.text(a.name) == right_.events.text(b.name);
  }

  void add(std::size_t parent, Nodes left, Nodes right) {
    if (left.empty() && right.empty()) return;
    rows_[parent].children.push_back(rows_.size());
    rows_.push_back({DiffSide(left.begin(), left.end()), DiffSide(right.begin(), right.end()), {}});
  }

  const Profile& left_;
  const Profile& right_;
  std::vector<DiffNode> rows_;
};

}  // namespace

std::vector<DiffNode> compare_trees(const Profile& left, const Profile& right) {
  return Comparison(left, right).compare();
}

namespace {

// The operators of one name.
struct OperatorSum {
  std::string_view name;
  std::size_t calls = 0;
  Number host_total;
  Number device_total;
  Number host_self;
  Number device_self;
  std::size_t kernel_calls = 0;
  std::vector<std::pair<std::string_view, std::size_t>> kernels;  // name, calls
};

void count_kernels(const Profile& profile, const Node& node, OperatorSum& sum) {
  for (const RuntimeId runtime : node.runtimes) {
    for (const DeviceWorkId work : profile.forest()[runtime].launched) {
      const Event& event = profile.events[profile.forest()[work].event];
      if (event.type != EventType::kKernel) continue;
      const std::string_view name = profile.events.text(event.name);
      const auto known =
          std::ranges::find(sum.kernels, name, [](const auto& k) { return k.first; });
      if (known == sum.kernels.end()) {
        sum.kernels.emplace_back(name, 1);
      } else {
        ++known->second;
      }
      ++sum.kernel_calls;
    }
  }
}

// In the order in which the operators end.
std::vector<OperatorSum> sum_operators(const Profile& profile, const DiffSide& side) {
  const Forest& forest = profile.forest();
  std::vector<OperatorSum> sums;
  std::map<StringId, std::size_t> places;
  const auto add = [&](const Node& node) {
    const auto [place, is_new] = places.emplace(node.name, sums.size());
    if (is_new) sums.emplace_back().name = profile.events.text(node.name);
    OperatorSum& sum = sums[place->second];
    ++sum.calls;
    sum.host_total += node.host_total();
    sum.device_total += node.device_total;
    sum.host_self += node.host_self;
    sum.device_self += node.device_self;
    if (profile.rules().lists_kernels_in_diff) count_kernels(profile, node, sum);
  };
  for (const NodeId top : side) {
    walk(
        forest, top, [](NodeId) { return true; },
        [&](NodeId id) {
          if (is_operator(forest[id], profile.events)) add(forest[id]);
        });
  }
  return sums;
}

void write_kernels(JsonWriter& json, const OperatorSum& sum) {
  std::string names;
  std::string calls;
  for (const auto& [name, count] : sum.kernels) {
    if (!names.empty()) {
      names += ';';
      calls += ';';
    }
    names += name;
    calls += std::to_string(count);
  }
  json.member("kernel_calls", sum.kernel_calls);
  json.member("kernel_name_list_str", names).member("kernel_calls_list_str", calls);
}

void write_side(JsonWriter& json, const Profile& profile, const DiffSide& side) {
  const Forest& forest = profile.forest();
  Number host;
  Number device;
  Number total;
  for (const NodeId id : side) {
    const Node& node = forest[id];
    host += node.host_total();
    device += node.device_total;
    total += node.device_total.value != 0 ? node.device_total : node.host_total();
  }
  json.begin_object();
  json.member("name", side.empty()       ? "Blank"
                      : side.size() == 1 ? profile.events.text(forest[side.front()].name)
                                         : "CompositeNodes");
  json.member("duration", host).member("device_duration", device).member("total_duration", total);
  json.key("aggs").begin_array();
  for (const OperatorSum& sum : sum_operators(profile, side)) {
    json.begin_object().member("name", sum.name).member("calls", sum.calls);
    if (profile.rules().lists_kernels_in_diff) write_kernels(json, sum);
    json.member("host_duration", sum.host_total).member("device_duration", sum.device_total);
    json.member("self_host_duration", sum.host_self);
    json.member("self_device_duration", sum.device_self).end_object();
  }
  json.end_array().end_object();
}

// The row of a path like 0-1-2, from row 0 on.
std::optional<std::size_t> find_row(const std::vector<DiffNode>& rows, std::string_view path) {
  if (path != "0" && !path.starts_with("0-")) return std::nullopt;
  path.remove_prefix(1);
  std::size_t row = 0;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view step = path.substr(0, path.find('-'));
    std::size_t child = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), child);
    const bool is_number = error == std::errc() && end == step.data() + step.size() &&
                           (step.size() == 1 || step.front() != '0');
    if (!is_number || child >= rows[row].children.size()) return std::nullopt;
    row = rows[row].children[child];
    path.remove_prefix(step.size());
  }
  return row;
}

bool can_compare(const Profile& left, const Profile& right) {
  return !left.forest().trees.empty() && !right.forest().trees.empty();
}

Answer nothing_to_compare() { return refused(404, "a trace without operators cannot be compared"); }

}  // namespace

Answer answer_diff(const Profile& left, const Profile& right) {
  if (!can_compare(left, right)) return nothing_to_compare();
  const std::vector<DiffNode> rows = compare_trees(left, right);
  std::string body;
  JsonWriter json = answer_writer(body);
  std::vector<std::pair<std::size_t, std::size_t>> open;  // row, next child
  const auto begin = [&](std::size_t row) {
    json.begin_object();
    write_side(json.key("left"), left, rows[row].left);
    write_side(json.key("right"), right, rows[row].right);
    json.key("children").begin_array();
    open.emplace_back(row, 0);
  };
  begin(0);
  while (!open.empty()) {
    auto& [row, next] = open.back();
    if (next < rows[row].children.size()) {
      begin(rows[row].children[next++]);
    } else {
      json.end_array().end_object();
      open.pop_back();
    }
  }
  return json_answer(std::move(body));
}

Answer answer_diffnode(const Profile& left, const Profile& right, std::string_view path) {
  if (!can_compare(left, right)) return nothing_to_compare();
  const std::vector<DiffNode> rows = compare_trees(left, right);
  const auto row = find_row(rows, path);
  if (!row) return refused(404, "the comparison has no such path");
  std::string body;
  JsonWriter json = answer_writer(body);
  const auto begin = [&](const DiffNode& node, const std::string& its_path) {
    json.begin_object();
    write_side(json.key("left"), left, node.left);
    write_side(json.key("right"), right, node.right);
    json.member("path", its_path);
  };
  begin(rows[*row], std::string(path));
  json.key("children").begin_array();
  for (std::size_t i = 0; i < rows[*row].children.size(); ++i) {
    begin(rows[rows[*row].children[i]], std::string(path) + "-" + std::to_string(i));
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
