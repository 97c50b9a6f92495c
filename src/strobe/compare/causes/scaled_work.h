#pragma once

#include <cstddef>

#include "strobe/compare/causes/symptoms.h"

namespace strobe::compare {

// The kernels of a device that have more (or less) work by one factor: they are launched more
// often, or with more blocks, and need more time for it. A larger batch does that to those that
// depend on it.
struct ScaledWork {
  double factor = 1;
  std::size_t kernels = 0;  // launched with it
  // Of all milliseconds by which the kernels of both runs changed, 0..1: of these, and of those
  // whose blocks depend on the size of the device only, if they changed by no more than that
  // factor. Libraries also choose other kernels for other sizes, so kernels of one run only say
  // nothing.
  double explained_share = 0;
};
ScaledWork scaled_work(const DeviceSymptoms& device);

}  // namespace strobe::compare
