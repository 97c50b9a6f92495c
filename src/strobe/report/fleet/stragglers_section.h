#pragma once

#include <string>
#include <vector>

#include "strobe/fleet/job.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/report/render/document.h"

namespace strobe::report {

// "rank 5 of host gpu3", "pipeline stage 2 (8 ranks)", "the network".
std::string straggler_name(const fleet::Job& job, const fleet::Straggler& straggler);

// Who holds the job up, since when, why, and what it costs: a sentence or two for each straggler,
// or one that says that there is none, or that it cannot be told.
std::vector<std::string> straggler_sentences(const fleet::Job& job,
                                             const std::vector<fleet::Straggler>& stragglers);

// The numbers behind the sentences, one row for each straggler. No rows if there is none.
Section stragglers_section(const fleet::Job& job, const std::vector<fleet::Straggler>& stragglers);

}  // namespace strobe::report
