#pragma once

#include <span>
#include <string>
#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

namespace strobe::compare {

// "SM clock while busy: 1980 -> 1685 MHz (x 0.85)"
Evidence told(const std::string& what, const MetricRow& metric, const Change& change);
Evidence told(const std::string& what, const Change& change_ms);  // milliseconds per cycle
Evidence told(std::string sentence);

std::string number_text(double value);  // three or four digits, as many as matter

// A rule looks at one rank and names causes it finds likely, with what speaks for and against them.
// A score below kListedScore is as good as silence.
using CauseRule = void (*)(const Symptoms& symptoms, std::vector<Cause>& causes);

// One small function per cause, a file per neighbourhood.
std::span<const CauseRule> device_cause_rules();
std::span<const CauseRule> link_cause_rules();
std::span<const CauseRule> host_cause_rules();
std::span<const CauseRule> work_cause_rules();

// The one that needs to see all ranks.
void find_straggler(std::span<const Symptoms> ranks, std::vector<Cause>& causes);

// Every listed cause, the most likely first. None is forced: a changed cycle that no rule explains
// is "unattributed".
std::vector<Cause> find_causes(const Comparison& comparison);

// What became of the run as a whole; asks after causes that were found.
Answer answer_of(const Comparison& comparison);

// Fills in causes and answer.
void judge(Comparison& comparison);

}  // namespace strobe::compare
