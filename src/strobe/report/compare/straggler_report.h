#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/one_run.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// The ranks of one run side by side: which one is slow, and what differs there. `top` rows per
// table, 0: all.
Document straggler_document(const compare::Stragglers& stragglers, std::size_t top);

// For tools: the ranks, and under "against_peer" the comparison of a typical rank with the slowest,
// as in compare_json(), or null.
std::string straggler_json(const compare::Stragglers& stragglers);

}  // namespace strobe::report
