#pragma once

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Communication against computation. A host range communicates if it is a communication range or a
// collective operator; a kernel if it is a collective or was launched anywhere below such a range.
// A kernel below one that is no collective itself counts as computation as well, unless the range
// launched it directly.
CommunicationTotals add_up_communication(const AttributedTrace& input);

}  // namespace strobe::analysis
