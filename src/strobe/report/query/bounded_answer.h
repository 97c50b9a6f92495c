#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/query/query.h"

namespace strobe::report {

// What a query of somebody who is not trusted may use.
struct QueryBounds {
  std::chrono::milliseconds timeout{10'000};
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  std::uint64_t most_rows = 10'000;
  std::size_t answer_bytes = std::size_t{16} << 20;  // of all rows; more rows are left out
  std::size_t text_bytes = 4096;                     // of one cell; the rest is left out
  std::function<bool()> is_abandoned = nullptr;      // asked often; may be null
};

// Answers one query in a process of its own (base/apart.h), because a function of SQL cannot be
// stopped from outside:
//
//     {"columns": [{"name": "dur", "type": "whole", "unit": "ns"}], "rows": [[5000], [3000]],
//      "is_cut": false, "elapsed_ns": 1200000}
//
// `type` is bool, whole, real or text; `unit` is null if it is not known. Whole numbers that a
// double cannot hold are texts.
Result<std::string> bounded_answer(const std::vector<query::TraceInput>& traces,
                                   std::string_view sql, const QueryBounds& bounds);

}  // namespace strobe::report
