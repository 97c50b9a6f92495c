#pragma once

#include <cstddef>
#include <string>

#include "strobe/compare/one_run.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// The conclusion about the ranks of one run, in the shape of that about two runs. Its answer is
// "slow_rank", "no_slow_rank" or "cannot_tell"; its cause is why the slowest rank differs.
CompareVerdict verdict_of(const compare::Stragglers& stragglers);

// The ranks of one run side by side: which one is slow or late, and what differs there. `top` rows
// per table, 0: all.
Document straggler_document(const compare::Stragglers& stragglers, std::size_t top);

// The same as one self-contained file, with pictures.
std::string straggler_html(const compare::Stragglers& stragglers, std::size_t top);

// One line per rank, every number plain: times in nanoseconds.
std::string straggler_csv(const compare::Stragglers& stragglers);

// For tools: the ranks, and under "against_peer" the comparison of a typical rank with the slowest,
// as in compare_json(), or null.
std::string straggler_json(const compare::Stragglers& stragglers);

}  // namespace strobe::report
