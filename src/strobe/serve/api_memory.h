#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"

// The answers about memory: their JSON, as in docs/api.md.
namespace strobe::serve {

Result<std::string> memory_answer(const Query& query, const OpenTrace& open);

// Of a trace that is a snapshot of an allocator: the document of `strobe summary`.
std::string snapshot_summary(const OpenTrace& open);

}  // namespace strobe::serve
