#pragma once

#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/serve/trace_server.h"

namespace strobe::cli {

// What `strobe serve` was asked to do, with every value checked.
struct ServeRequest {
  serve::ServeOptions options;
  bool opens_browser = false;
};

Result<ServeRequest> read_serve_request(const Arguments& arguments);

}  // namespace strobe::cli
