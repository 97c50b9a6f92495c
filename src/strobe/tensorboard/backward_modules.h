#pragma once

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

// Gathers the work of autograd's engine under nodes named `<module>.backward`, by the flows from
// forward operators, and inserts these into the tree of the main thread. Engine nodes that no
// forward operator of a module leads to are removed. Does nothing without flows, modules or engine
// nodes. `events` gets the names of the new nodes.
void add_backward_modules(Links& links, Events& events, const VariantRules& rules);

}  // namespace strobe::tensorboard
