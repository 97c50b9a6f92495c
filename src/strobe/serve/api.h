#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/serve/query.h"

namespace strobe::serve {

class OpenTrace;  // a loaded trace and data derived from it on demand: open_trace.h

// A trace by its name in `runs`; an error if there is none, if it is still loading or could not be
// read.
using TraceLookup = std::function<Result<std::shared_ptr<const OpenTrace>>(std::string_view trace)>;

// The body of /api/v1/<route>, as in docs/api.md. All routes but `runs`, `compare`, `kernels`,
// `fleet` and `bench`, which are about files and not about one trace.
Result<std::string> api_answer(std::string_view route, const Query& query,
                               const TraceLookup& traces);

Error no_route(std::string_view route);

}  // namespace strobe::serve
