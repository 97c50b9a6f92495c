#pragma once

#include <string>

#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::testing {

// Everything a trace holds, as text: two traces are the same if their texts are.
std::string describe(const Trace& trace);
std::string describe(const ImportReport& report);

}  // namespace strobe::testing
