#pragma once

#include <vector>

#include "strobe/tensorboard/profile.h"

namespace strobe::tensorboard {

// A range of one tree's nodes; none: the other side has no counterpart.
using DiffSide = std::vector<NodeId>;

struct DiffNode {
  DiffSide left;
  DiffSide right;
  std::vector<std::size_t> children;  // rows, all after this one
};

// The first trees of two profiles side by side, cut where a module, step, loader, optimizer or
// backward node on the left has one of the same kind and name on the right. Row 0 contains
// everything; both profiles have a tree.
std::vector<DiffNode> compare_trees(const Profile& left, const Profile& right);

}  // namespace strobe::tensorboard
