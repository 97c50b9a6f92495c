#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"

namespace strobe::compare {

// Of the cycle's change: what explains less is no answer to it.
inline constexpr double kLittle = 0.3;

// "SM clock while busy: 1980 -> 1685 MHz (x 0.85)"; with the number of samples, if neighbouring
// cycles share one.
Evidence evidence(const std::string& what, const MetricRow& metric, MetricTime time);
Evidence evidence(const std::string& what, const Change& change_ms);  // milliseconds per cycle
// "WHY: 0.118 -> 6.61 ms per cycle in which launched work waits and none of ours runs (+6.49 ms)"
Evidence waiting_work(std::string_view why, const Change& wait_ms);
Evidence evidence(std::string sentence);
Evidence never_waits();  // for symptoms whose cycle_is_host_time
// "the same kernels take as long as before", if there are some and they do.
void add_equal_kernels(const Symptoms& symptoms, Cause& cause);

std::string number_text(double value);  // three or four significant digits

// What the host does while the device is idle: "while the host is in CALL, inside OPERATOR".
std::string idle_text(const IdleCause& cause);

// The part, 0 to 1, of the cycle's change that these milliseconds per cycle explain.
double explained_part(const Symptoms& symptoms, double change_ms);

// A rule examines one rank and adds likely causes, with the evidence for and against them. A score
// below kListedScore is not shown.
using CauseRule = void (*)(const Symptoms& symptoms, std::vector<Cause>& causes);

// One small function per cause, grouped into files.
std::span<const CauseRule> device_cause_rules();
std::span<const CauseRule> link_cause_rules();
std::span<const CauseRule> host_cause_rules();
std::span<const CauseRule> work_cause_rules();
// Why a run became faster; device and work rules look in both directions.
std::span<const CauseRule> improvement_cause_rules();

// The only rule that needs all ranks.
void find_straggler(std::span<const Symptoms> ranks, std::vector<Cause>& causes);

// Every listed cause, the most likely first. A changed cycle that no rule explains is
// "unattributed".
std::vector<Cause> find_causes(const Comparison& comparison);

// The overall answer; call it after the causes were found.
Answer answer_of(const Comparison& comparison);

// Fills in causes and answer.
void judge(Comparison& comparison);

}  // namespace strobe::compare
