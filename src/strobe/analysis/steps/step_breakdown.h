#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/steps/steps.h"

namespace strobe::analysis {

// Device time launched in a step, streams added up.
struct StepLaunches {
  std::int64_t kernel_ns = 0;
  std::int64_t device_ns = 0;  // with copies and memsets
};

// Per step. A step owns what was launched below its own slices or, with `cover_all_threads`, every
// launch of its process that starts in its time. Use the latter if a framework runs backward on its
// own thread. Cycles that were found have no slices: they own every launch in their time.
std::vector<StepLaunches> add_up_step_launches(const AttributedTrace& input,
                                               const std::vector<Step>& steps,
                                               bool cover_all_threads);

// Everything launched, for traces without steps.
StepLaunches add_up_all_launches(const AttributedTrace& input);

// Splits the time of every step. If several things happen at once, the first in the order of
// StepLabel gets the time: a kernel hides the communication beside it, so kCommunication is the
// exposed part; any device work hides host work.
//
//     kernels        |=====|   |==|
//     collectives       |=====|
//     host          |-----------------|
//     label         h kkkkk cc kk hhhh   . idle
//
// A step without a process covers all processes: a cycle of the device, or the whole trace.
std::vector<StepRow> break_down_steps(const AttributedTrace& input, const std::vector<Step>& steps,
                                      const std::vector<StepLaunches>& launches);

}  // namespace strobe::analysis
