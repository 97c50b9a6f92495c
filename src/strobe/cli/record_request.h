#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/record/launcher.h"

namespace strobe::cli {

// `strobe kernels record`, as typed.
struct KernelsRecordRequest {
  record::RecordRequest run;
  std::string set;  // "": the default set, unless metrics are named
  std::vector<std::string> metrics;
  std::string output = "kernels.strobe";
  std::string csv;  // in addition to the output
};

// The name of a metric set.
Result<std::string> read_metric_set(std::string_view flag, const std::string& name);

std::vector<Flag> record_flags(KernelsRecordRequest& request);
Result<void> complete_record(KernelsRecordRequest& request, const Arguments& arguments);

}  // namespace strobe::cli
