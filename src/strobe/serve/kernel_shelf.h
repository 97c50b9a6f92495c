#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "strobe/base/result.h"
#include "strobe/serve/api.h"
#include "strobe/serve/on_demand.h"
#include "strobe/serve/query.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::analysis {
struct KernelStudy;
}

namespace strobe::serve {

// /api/v1/kernels: the kernels of a file or trace and the limits of their chip, as in docs/api.md.
// A file is read when first requested; the last few answers are kept until their file changes.
class KernelShelf {
 public:
  using Body = std::shared_ptr<const std::string>;

  // `view`: everything that is served. Traces come from `traces`.
  Result<Body> answer(const Query& query, const ShelfView& view, const TraceLookup& traces);

 private:
  LastAsked<Result<Body>> kept_{8};
};

// The body of /api/v1/kernels. `name` is the name of the file or trace in the request.
std::string kernel_answer(std::string_view name, const analysis::KernelStudy& study);

}  // namespace strobe::serve
