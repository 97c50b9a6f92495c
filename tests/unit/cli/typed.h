#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strobe/cli/command_line.h"

namespace strobe::cli {

using TypedFlags = std::vector<std::pair<std::string, std::string>>;  // "top", "3"; "" is no value

// A request as the parser fills it from the given words and flags.
template <class Request, class Complete>
Result<Request> typed_request(std::vector<Flag> (*flags)(Request&), Complete complete,
                              const std::vector<std::string>& words, const TypedFlags& typed = {}) {
  std::vector<std::string> line;
  for (const auto& [flag, value] : typed) {
    line.push_back(value.empty() ? "--" + flag : "--" + flag + "=" + value);
  }
  line.emplace_back("--");
  line.insert(line.end(), words.begin(), words.end());
  Request request;
  STROBE_TRY(const Arguments arguments, parse_flags(line, "test", flags(request)));
  STROBE_TRY_VOID(complete(request, arguments));
  return Result<Request>(std::move(request));
}

}  // namespace strobe::cli
