#pragma once

#include <string>

#include "strobe/analysis/waits/waits.h"

namespace strobe::report {

// The name of an idle cause for people; what has none is named in brackets: "(nothing recorded)",
// "(next work launched already)".
std::string idle_label(analysis::IdleKind kind, const std::string& name);

}  // namespace strobe::report
