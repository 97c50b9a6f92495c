#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"

// The answers for the timeline and about its slices: their JSON, as in docs/api.md.
namespace strobe::serve {

Result<std::string> timeline_answer(const Query& query, const OpenTrace& open);
Result<std::string> tile_answer(const Query& query, const OpenTrace& open);
Result<std::string> counter_answer(const Query& query, const OpenTrace& open);
Result<std::string> slice_answer(const Query& query, const OpenTrace& open);
Result<std::string> search_answer(const Query& query, const OpenTrace& open);
Result<std::string> selection_answer(const Query& query, const OpenTrace& open);

}  // namespace strobe::serve
