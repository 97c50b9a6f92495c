#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/report/query/bounded_answer.h"
#include "strobe/serve/api.h"
#include "strobe/serve/http_message.h"
#include "strobe/serve/query.h"
#include "strobe/serve/run_folder.h"

namespace strobe::serve {

// /api/v1/query and /api/v1/query/schema: SQL over loaded traces, as in docs/api.md. A query ends
// when its client does.
class QueryDesk {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `most_at_once`: more queries are refused, so that other answers keep their processors.
  explicit QueryDesk(int most_at_once = 4, report::QueryBounds bounds = {})
      : most_at_once_(most_at_once), bounds_(std::move(bounds)) {}

  // `files`: everything that is served. kMachineLacks: there is no engine, or too many ask.
  Result<Body> answer(std::string_view route, const Query& query,
                      const std::vector<FoundTrace>& files, const TraceLookup& traces,
                      const std::function<bool()>& is_gone);

 private:
  Result<Body> rows(const Query& query, const std::vector<FoundTrace>& files,
                    const TraceLookup& traces, const std::function<bool()>& is_gone);

  const int most_at_once_;
  const report::QueryBounds bounds_;
  std::atomic<int> running_ = 0;
};

// An error of the desk: 422 `limit` for a query that needs too much, 503 `unavailable`.
HttpResponse query_error_answer(const Error& error);

}  // namespace strobe::serve
