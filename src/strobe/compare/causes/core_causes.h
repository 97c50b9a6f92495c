#pragma once

#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

// Why the process gets less of the host's cores. Rules as in cause_rules.h.
namespace strobe::compare {

// Other processes take the cores, or its own threads compete for them.
void find_host_contention(const Symptoms& symptoms, std::vector<Cause>& causes);

// A quota of its container or service stops it.
void find_quota(const Symptoms& symptoms, std::vector<Cause>& causes);

}  // namespace strobe::compare
