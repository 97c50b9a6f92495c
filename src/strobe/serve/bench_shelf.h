#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/serve/on_demand.h"
#include "strobe/serve/query.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

struct BenchFile;

// /api/v1/bench and below: benchmarks of the folder, as in docs/api.md. A file is read when first
// requested; the last few are kept until they change.
class BenchShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `route`: "bench", "bench/table", "bench/cell" or "bench/points"; `view`: all that is served.
  Result<Body> answer(std::string_view route, const Query& query, const ShelfView& view);

 private:
  LastAsked<Result<std::shared_ptr<const BenchFile>>> kept_{4};
};

}  // namespace strobe::serve
