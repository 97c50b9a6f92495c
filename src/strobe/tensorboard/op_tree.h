#pragma once

#include <string_view>

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

// Turns the nodes of each thread into a tree, one per thread, with the statistics of every node, in
// links.forest. `events` gets the name of the roots.
void build_trees(Links& links, Events& events, const VariantRules& rules);

inline constexpr std::string_view kRootName = "CallTreeRoot";

}  // namespace strobe::tensorboard
