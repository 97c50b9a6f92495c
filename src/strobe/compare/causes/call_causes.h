#pragma once

#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

// Why the host spends longer in its calls to the device. Rules as in cause_rules.h.
namespace strobe::compare {

// It waits for the device more often.
void find_synchronisation(const Symptoms& symptoms, std::vector<Cause>& causes);

// It allocates and frees device memory more often, or that is nearly full.
void find_memory_pressure(const Symptoms& symptoms, std::vector<Cause>& causes);

// The work of a cycle is launched by more calls: a graph was lost, or a fused operator.
void find_more_launches(const Symptoms& symptoms, std::vector<Cause>& causes);

// The host waits in one call, and that explains most of the longer cycle. Why the call takes longer
// is for other rules to say: this one is for calls that none of them knows.
void find_host_blocks(const Symptoms& symptoms, std::vector<Cause>& causes);

}  // namespace strobe::compare
