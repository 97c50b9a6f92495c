#pragma once

#include <vector>

#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A backward operator and the forward operator whose gradient it computes.
struct BackwardLink {
  SliceId backward;
  SliceId forward;
};

// Joined by sequence number. Several forward operators may carry one number, as every operator does
// that runs before the next number is given out; the last of them to start before the backward is
// the one that was given it. Ascending by the backward's slice; those without a forward are absent.
std::vector<BackwardLink> link_backward(const Trace& trace);

}  // namespace strobe::analysis
