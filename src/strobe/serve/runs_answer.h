#pragma once

#include <string>

#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

// The body of /api/v1/runs.
std::string runs_answer(const std::string& folder, const ShelfView& view);

}  // namespace strobe::serve
