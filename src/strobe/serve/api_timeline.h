#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"

// The answers that the timeline is drawn from, and those about slices of it: their JSON, as
// docs/api.md says.
namespace strobe::serve {

Result<std::string> timeline_answer(const Query& query, const OpenTrace& open);
Result<std::string> tile_answer(const Query& query, const OpenTrace& open);
Result<std::string> counter_answer(const Query& query, const OpenTrace& open);
Result<std::string> slice_answer(const Query& query, const OpenTrace& open);
Result<std::string> search_answer(const Query& query, const OpenTrace& open);
Result<std::string> selection_answer(const Query& query, const OpenTrace& open);

}  // namespace strobe::serve
