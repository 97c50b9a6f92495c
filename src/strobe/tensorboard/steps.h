#pragma once

#include "strobe/tensorboard/linking.h"

namespace strobe::tensorboard {

struct Step {
  std::string name;  // "5"
  Range range;
};

struct Steps {
  std::vector<Step> all;
  Range profile;  // the range the profiler says it covered, else that of all events

  Number start() const { return all.front().range.start; }
  Number end() const { return all.back().range.end; }
};

// Never empty; extended to the device work that was launched in them, and cut at the end.
Steps find_steps(const Events& events, const Forest& forest, const VariantRules& rules);

}  // namespace strobe::tensorboard
