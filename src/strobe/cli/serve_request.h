#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"
#include "strobe/serve/trace_server.h"

namespace strobe::cli {

// The request of `strobe serve`, with every value checked.
struct ServeRequest {
  serve::ServeOptions options;
  LoadChoice load;
  std::optional<std::int64_t> memory_bytes;
  bool opens_browser = false;

  ServeRequest() { options.port = 6007; }
};

std::vector<Flag> serve_flags(ServeRequest& request);
Result<void> complete_serve(ServeRequest& request, const Arguments& arguments);

// The same for `strobe mcp`, which serves its page to this machine only.
struct McpRequest : ServeRequest {
  McpRequest() { options.port = 0; }
};

std::vector<Flag> mcp_flags(McpRequest& request);
Result<void> complete_mcp(McpRequest& request, const Arguments& arguments);

}  // namespace strobe::cli
