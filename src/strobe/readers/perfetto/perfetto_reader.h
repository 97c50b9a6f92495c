#pragma once

#include "strobe/readers/formats.h"

namespace strobe::readers {

// Perfetto's traces: packets of track events, GPU work and counters.
extern const FileFormat kPerfetto;

}  // namespace strobe::readers
