#include "strobe/tensorboard/diff.h"

#include <span>
#include <utility>

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

}  // namespace strobe::tensorboard
