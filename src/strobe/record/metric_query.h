#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/base/result.h"

// Facts of CUPTI about chips and metrics that need no GPU and no driver. kMachineLacks if the
// library is missing, or if strobe was built without its headers.
namespace strobe::record {

struct MetricPlan {
  std::size_t passes = 0;            // runs of each kernel
  std::vector<std::string> unknown;  // metrics that the chip does not have
};

Result<std::vector<std::string>> known_chips();
Result<MetricPlan> plan_metrics(const std::string& chip, const std::vector<std::string>& metrics);

}  // namespace strobe::record
