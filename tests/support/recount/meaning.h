#pragma once

#include <string>

#include "tests/support/recount/raw_trace.h"

// What a slice is, from its category and name alone, by the definitions of docs/summary.md.
namespace strobe::recount {

enum class What { kRange, kCall, kKernel, kCopy, kFrame, kSync, kProfiler, kProjected, kOther };

What what_is(const RawSlice& slice);
bool is_work(const RawSlice& slice);  // of the device: a kernel, a copy or a memset

bool is_step(const RawSlice& slice);
bool is_operator(const RawSlice& slice);
bool is_listed_range(const RawSlice& slice);  // it has a row in the table of ranges
bool communicates_on_host(const RawSlice& slice);

// The phase of the model that a range is: "data loader", "forward", ..., "" if it is none.
std::string phase_of(const RawSlice& slice);

}  // namespace strobe::recount
