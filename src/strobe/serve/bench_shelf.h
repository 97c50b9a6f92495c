#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/serve/query.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

// /api/v1/bench and below: benchmarks of the folder, as docs/api.md says. A file is read when
// somebody asks for it; the last few are kept until they change.
class BenchShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  BenchShelf();
  ~BenchShelf();

  // `route`: "bench", "bench/table", "bench/cell" or "bench/points"; `view`: all that is served.
  Result<Body> answer(std::string_view route, const Query& query, const ShelfView& view);

 private:
  struct Kept;
  std::shared_ptr<Kept> place_of(std::string key);

  std::mutex mutex_;
  std::list<std::shared_ptr<Kept>> kept_;  // the last one asked for first
};

}  // namespace strobe::serve
