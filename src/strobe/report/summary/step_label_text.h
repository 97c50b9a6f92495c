#pragma once

#include <string>
#include <string_view>

#include "strobe/analysis/tables/summary.h"

namespace strobe::report {

// The meaning of a step label for people: "GPU idle, host in data loading". `device` is the word
// for the device, empty in a trace without one.
std::string step_label_text(analysis::StepLabel label, std::string_view device);

// The same as the heading of a narrow column, in one or two lines: "idle,\nloading".
std::string step_label_header(analysis::StepLabel label, std::string_view device);

}  // namespace strobe::report
