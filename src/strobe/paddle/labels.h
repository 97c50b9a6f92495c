// The framework's names for the kinds of slices.
#pragma once

#include <string>
#include <string_view>

#include "strobe/analysis/tables/summary.h"
#include "strobe/trace/trace.h"

namespace strobe::paddle {

std::string label_of(SliceKind kind, const TraceTraits& traits);
std::string label_of(const analysis::TypeRow& row, const TraceTraits& traits);

// The row for the whole time T: the steps, or the trace if none are marked.
std::string total_label(const analysis::Summary& summary);

// "CPU Total / Avg / Max / Min / Ratio(%)"
std::string times_header(std::string_view side);

// "Thread: 7001"; an empty id means all threads merged.
std::string thread_title(std::string_view thread);

// A templated kernel's name without its parameter list: "void f<4>(int)" becomes "void f<4>". The
// cut is after the last '>' that is followed by a parameter list; other names are unchanged.
std::string_view without_parameters(std::string_view name);

}  // namespace strobe::paddle
