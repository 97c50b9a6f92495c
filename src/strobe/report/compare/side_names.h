#pragma once

#include <string>

#include "strobe/compare/comparison.h"

namespace strobe::report {

// The words for the two runs above columns and beside marks. The faster run may be the abnormal
// one, so they are called by their own labels, or "before" and "after" if those are too long.
struct SideNames {
  std::string normal;
  std::string abnormal;
};

SideNames side_names(const compare::Comparison& comparison);

// "normal ->\nabnormal", above cells with both values.
std::string both_sides(const SideNames& names);

}  // namespace strobe::report
