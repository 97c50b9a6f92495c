#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/query.h"

// One answer of the API each: its JSON, as docs/api.md says.
namespace strobe::serve {

Result<std::string> timeline_answer(const Query& query, const OpenTrace& open);
Result<std::string> tile_answer(const Query& query, const OpenTrace& open);
Result<std::string> slice_answer(const Query& query, const OpenTrace& open);
Result<std::string> search_answer(const Query& query, const OpenTrace& open);
Result<std::string> selection_answer(const Query& query, const OpenTrace& open);
Result<std::string> counter_answer(const Query& query, const OpenTrace& open);
Result<std::string> memory_answer(const Query& query, const OpenTrace& open);
Result<std::string> modules_answer(const Query& query, const OpenTrace& open);
Result<std::string> diff_answer(const OpenTrace& base, const OpenTrace& other);

using OpenTraces = std::vector<std::shared_ptr<const OpenTrace>>;
Result<std::string> summary_answer(const Query& query, const OpenTraces& run);

}  // namespace strobe::serve
