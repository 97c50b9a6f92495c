#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/timeline/time_selection.h"

namespace strobe::analysis {

// How busy every device was.
std::vector<DeviceRow> list_devices(const AttributedTrace& input);

// How busy every host thread was, in the order of the trees; threads of nothing are left out.
std::vector<HostThreadRow> list_threads(const AttributedTrace& input);

// The host's time by kind of slice; slices without a kind by their category, behind the others.
// `backward_ranges`: see model.h, counted as kBackward.
std::vector<TypeRow> list_host_types(const AttributedTrace& input, const TimeSelection& selection,
                                     const std::vector<Interval>& backward_ranges);

// The device's time by kind: the kinds of the first device met, then those only others have.
std::vector<TypeRow> list_device_types(const AttributedTrace& input);

}  // namespace strobe::analysis
