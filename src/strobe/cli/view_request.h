#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/tensorboard/views.h"

namespace strobe::cli {

// The request of `strobe view`.
struct ViewRequest {
  std::string view;  // one of tensorboard::routes()
  std::vector<std::string> traces;
  std::string worker;                  // "": the first
  std::string span;                    // "": the worker's first
  std::optional<std::string> device;   // rows of this device only
  tensorboard::Parameters parameters;  // without run, worker and span
  tensorboard::ProfileOptions options;
  std::string output;  // "": stdout
};

std::vector<Flag> view_flags(ViewRequest& request);
Result<void> complete_view(ViewRequest& request, const Arguments& arguments);

// `answer`, the JSON of a view that has rows by device, reduced to the rows of one device.
Result<std::string> rows_of_device(std::string_view answer, const std::string& device);

}  // namespace strobe::cli
