#include "strobe/serve/api.h"

#include <fmt/format.h>

namespace strobe::serve {

Result<std::string> api_answer(std::string_view route, const Query&, const TraceLookup&) {
  return Error{.code = ErrorCode::kNotFound,
               .what = fmt::format("the API has no '{}'", route),
               .where = "",
               .hint = "see docs/api.md"};
}

}  // namespace strobe::serve
