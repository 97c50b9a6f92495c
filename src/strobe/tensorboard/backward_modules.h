#pragma once

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

// Gathers what autograd's engine ran backwards under nodes named `<module>.backward`, by the flows
// from forward operators, and hangs these into the tree of the main thread. Engine nodes that no
// forward operator of a module leads to are gone afterwards. Does nothing without flows, modules or
// engine nodes. `events` gets the names of the new nodes.
void add_backward_modules(Links& links, Events& events, const VariantRules& rules);

}  // namespace strobe::tensorboard
