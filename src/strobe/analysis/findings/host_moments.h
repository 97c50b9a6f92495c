#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/trace/trace.h"

// Where on the host many moments lie, without a tree of all ranges.
namespace strobe::analysis {

struct HostMoment {
  TrackId track;
  std::int64_t time_ns = 0;
  std::int64_t weight_ns = 0;
};

struct HeldMoments {
  std::string name;  // "" if there is none
  std::int64_t weight_ns = 0;
  std::int64_t of_ns = 0;  // the weight of all moments
};

// The operator that is the innermost one at most of the weight; the name may be "" too.
HeldMoments operator_around(const Trace& trace, std::vector<HostMoment> moments);

// The range, neither operator nor step, that is open at four fifths of the weight or more; of
// several the one with the least time of its own. One that is open for nearly all of `whole_ns`
// says nothing.
HeldMoments range_around(const Trace& trace, std::vector<HostMoment> moments,
                         std::int64_t whole_ns);

}  // namespace strobe::analysis
