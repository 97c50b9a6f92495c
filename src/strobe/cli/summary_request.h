#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/tables/number_range.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/base/result.h"
#include "strobe/cli/command.h"
#include "strobe/cli/values.h"
#include "strobe/readers/trace_cache.h"

namespace strobe::cli {

enum class SummaryFormat { kText, kJson, kCsv, kMarkdown, kHtml };

// What `strobe summary` was asked for.
struct SummaryRequest {
  std::vector<std::filesystem::path> traces;
  SummaryFormat format = SummaryFormat::kText;
  bool paddle_style = false;
  analysis::TableOptions tables;
  bool separate_threads = false;
  std::optional<analysis::NumberRange> steps;
  std::optional<std::int64_t> rank;
  unsigned threads = 0;  // 0: one per core
  std::string output;    // "": stdout
  readers::CacheOptions cache;
};

Result<SummaryRequest> read_summary_request(const Arguments& arguments);

// strobe's names and Paddle's, in any case, with or without dashes.
Result<analysis::ViewSet> view_set(const std::vector<std::string>& names);
Result<analysis::SortKey> sort_key(std::string_view name);

inline constexpr std::size_t kRowsOnAPage = 10;

}  // namespace strobe::cli
