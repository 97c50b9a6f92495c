#pragma once

#include <cstdint>
#include <vector>

#include "strobe/analysis/steps/steps.h"

namespace strobe::analysis {

// Which step a moment belongs to.
class StepFinder {
 public:
  // `steps` by start, as list_steps gives them; they must outlive the finder.
  explicit StepFinder(const std::vector<Step>& steps);

  // The latest step to start that is open at the time, of that process or, if invalid, of any; null
  // if there is none.
  const Step* at(std::int64_t time_ns, StringId process = {}) const;

 private:
  const std::vector<Step>* steps_;
  std::vector<std::int64_t> latest_ends_ns_;  // per step: of it and all before
};

}  // namespace strobe::analysis
