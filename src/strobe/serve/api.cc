#include "strobe/serve/api.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/serve/api_answers.h"

namespace strobe::serve {
namespace {

using Answer = Result<std::string> (*)(const Query& query, const TraceLookup& traces);

template <Result<std::string> (*answer)(const Query&, const OpenTrace&)>
Result<std::string> of_trace(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string name, query.text("trace"));
  STROBE_TRY(const auto open, traces(name));
  return answer(query, *open);
}

Result<std::string> of_run(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string first, query.text("trace"));
  OpenTraces run;
  for (const std::string& name : query.texts("trace")) {
    STROBE_TRY(auto open, traces(name));
    run.push_back(std::move(open));
  }
  return summary_answer(query, run);
}

Result<std::string> of_two(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string base_name, query.text("base"));
  STROBE_TRY(const std::string other_name, query.text("other"));
  STROBE_TRY(const auto base, traces(base_name));
  STROBE_TRY(const auto other, traces(other_name));
  return diff_answer(*base, *other);
}

struct Route {
  std::string_view name;
  Answer answer;
};

constexpr Route kRoutes[] = {
    {"summary", of_run},
    {"timeline", of_trace<timeline_answer>},
    {"tile", of_trace<tile_answer>},
    {"slice", of_trace<slice_answer>},
    {"search", of_trace<search_answer>},
    {"selection", of_trace<selection_answer>},
    {"counter", of_trace<counter_answer>},
    {"memory", of_trace<memory_answer>},
    {"modules", of_trace<modules_answer>},
    {"diff", of_two},
};

}  // namespace

Result<std::string> api_answer(std::string_view route, const Query& query,
                               const TraceLookup& traces) {
  const auto known = std::ranges::find(kRoutes, route, &Route::name);
  if (known != std::end(kRoutes)) return known->answer(query, traces);
  return Error{.code = ErrorCode::kNotFound,
               .what = fmt::format("the API has no '{}'", route),
               .where = "",
               .hint = "see docs/api.md"};
}

}  // namespace strobe::serve
