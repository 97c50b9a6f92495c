#pragma once

#include "strobe/bench/measure/sampler.h"

namespace strobe::bench {

struct WarmUp {
  int least_calls = 5;
  double least_ms = 20;
  // Calls of a few microseconds: as many, with what lies around each, keep the device as busy.
  int most_calls = 400;
  double most_ms = 500;
  double clock_tolerance = 0.01;
};

struct WarmedUp {
  int calls = 0;
  double spent_ms = 0;
  bool is_steady = true;  // false: the clock still moved when it was time to go on
};

// Calls until the device has been busy long enough and its clock stands still between two readings;
// where no clock can be read, busy is all that can be asked for.
Result<WarmedUp> warm_up(Sampler& sampler, TimeMode mode, const WarmUp& rule);

}  // namespace strobe::bench
