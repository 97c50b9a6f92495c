#pragma once

#include <vector>

#include "strobe/analysis/launches/attributed_trace.h"
#include "strobe/analysis/steps/step_launches.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::analysis {

// Where the time of every step went. Of several things at once the first in the order of StepLabel
// names the moment: a kernel hides the communication beside it, so kCommunication is the part that
// nothing hides; any device work hides what the host does meanwhile.
//
//     kernels        |=====|   |==|
//     collectives       |=====|
//     host          |-----------------|
//     label         h kkkkk cc kk hhhh   . idle
//
// A step without a process covers all of them; it serves a trace without steps.
std::vector<StepRow> break_down_steps(const AttributedTrace& input, const std::vector<Step>& steps,
                                      const std::vector<StepLaunches>& launches);

}  // namespace strobe::analysis
