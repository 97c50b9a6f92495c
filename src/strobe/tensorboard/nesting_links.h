#pragma once

#include "strobe/tensorboard/events.h"

namespace strobe::tensorboard {

// PyTorch 2.0 to 2.2 wrote the correlation where the external id of a runtime call belongs. Such a
// call takes the external id of what it is nested in: of the events around it on its thread, the
// last to begin that has one. Needs sorted events.
void link_repeated_correlations(Events& events);

// The same for every runtime call, as one variant does.
void link_all_by_nesting(Events& events);

}  // namespace strobe::tensorboard
