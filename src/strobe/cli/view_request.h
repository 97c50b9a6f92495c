#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/tensorboard/views.h"

namespace strobe::cli {

// What `strobe view` was asked for.
struct ViewRequest {
  std::string view;  // one of tensorboard::routes()
  std::vector<std::filesystem::path> traces;
  std::string worker;                  // "": the first
  std::string span;                    // "": the worker's first
  std::optional<std::string> device;   // rows of this device only
  tensorboard::Parameters parameters;  // without run, worker and span
  tensorboard::ProfileOptions options;
  std::string output;  // "": stdout
};

Result<ViewRequest> read_view_request(const Arguments& arguments);

}  // namespace strobe::cli
