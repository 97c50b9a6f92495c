#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/record/launcher.h"

namespace strobe::cli {

// `strobe kernels record`, as typed.
struct KernelsRecordRequest {
  record::RecordRequest run;
  std::string output;
  std::string csv;  // beside the output
};

Result<KernelsRecordRequest> read_record_request(const Arguments& arguments);

}  // namespace strobe::cli
