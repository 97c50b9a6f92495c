#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"
#include "strobe/report/query/answer_text.h"

namespace strobe::cli {

// The request of `strobe query`.
struct QueryRequest {
  std::vector<std::string> runs;  // each a trace, or a folder with the ranks of a run
  std::string sql;                // "": a shell, or statements from stdin
  bool list = false;
  std::string save;  // "": nothing to save
  report::AnswerFormat format = report::AnswerFormat::kText;
  std::optional<std::size_t> limit;  // as typed; 0: all
  std::uint64_t most_rows = 0;       // 0: all
  std::int64_t memory_bytes = 0;     // 0: the default
  std::int64_t timeout_ms = 0;       // 0: none
  bool unsafe = false;
  std::string output;  // "": stdout
  LoadChoice load;
};

inline constexpr std::size_t kAnswerRowsOnAPage = 100;  // in text and Markdown

std::vector<Flag> query_flags(QueryRequest& request);
Result<void> complete_query(QueryRequest& request, const Arguments& arguments);

}  // namespace strobe::cli
