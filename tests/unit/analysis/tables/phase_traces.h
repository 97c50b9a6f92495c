#pragma once

#include <vector>

#include "strobe/analysis/tables/classic.h"
#include "strobe/analysis/tables/tables.h"
#include "tests/support/sketch.h"

// Traces whose phases both sets of rules count, and their phases by either.
namespace strobe::analysis {

using namespace strobe::literals;

// By strobe's rules. Without steps, the host's time is [0, 100) us.
inline ModelPhases phases_of(const Trace& trace, bool cover_all_threads = false) {
  const AttributedTrace input = attribute_trace(trace);
  const auto steps = list_steps(trace);
  std::vector<Interval> base = {{0, 100_us}};
  if (!steps.empty()) base.clear();
  for (const Step& step : steps) base.push_back(step.interval);
  return list_phases(input, steps, add_up_step_launches(input, steps, cover_all_threads),
                     cover_all_threads, union_of(base));
}

inline AttributedTrace attribute_classic(const Trace& trace) {
  return attribute_trace(trace, {}, TreeRules::kCompatible);
}

inline std::vector<PhaseTotals> classic_phases_of(const Trace& trace,
                                                  bool cover_all_threads = false) {
  const AttributedTrace input = attribute_classic(trace);
  const auto steps = list_steps(trace);
  return list_classic_phases(input, steps, add_up_step_launches(input, steps, cover_all_threads),
                             cover_all_threads, find_backward_ranges(input, steps), 100_us);
}

// Step 0: two engine operators on thread 2 with an unrelated launch between them; step 1: one.
inline Trace engine_operators() {
  return Sketch()
      .thread(1)
      .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
      .slice("Step#1", SliceKind::kStep, 50_us, 50_us)
      .thread(2)
      .slice("engine: a", kOp, 10_us, 5_us)
      .flags(kBackwardWork)
      .slice("a", kOp, 11_us, 3_us)
      .slice("call", kCall, 12_us, 1_us)
      .correlation(1)
      .slice("between", kOp, 16_us, 2_us)
      .slice("call", kCall, 17_us, 1_us)
      .correlation(2)
      .slice("engine: b", kOp, 20_us, 10_us)
      .flags(kBackwardWork)
      .slice("engine: c", kOp, 60_us, 7_us)
      .flags(kBackwardWork)
      .stream(0, 7)
      .slice("k", kKernel, 200_us, 30_us)
      .correlation(1)
      .slice("k", kKernel, 300_us, 1_us)
      .correlation(2)
      .trace();
}

inline Trace engine_operator_after_the_step() {
  return Sketch()
      .slice("Step#0", SliceKind::kStep, 0_us, 50_us)
      .slice("engine: a", kOp, 60_us, 5_us)
      .flags(kBackwardWork)
      .trace();
}

}  // namespace strobe::analysis
