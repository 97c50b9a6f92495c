#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/table_options.h"
#include "strobe/cli/command.h"
#include "strobe/cli/loading.h"

namespace strobe::cli {

// The request of `strobe summary`.
struct SummaryRequest {
  std::vector<std::string> traces;
  Format format = Format::kText;
  bool paddle_style = false;
  analysis::TableOptions tables;  // what was typed, and defaults for the rest
  std::optional<analysis::ViewSet> views;
  std::optional<analysis::TimeUnit> unit;
  std::optional<bool> operator_detail;
  std::optional<std::size_t> top;
  bool separate_threads = false;
  std::optional<analysis::NumberRange> steps;
  std::optional<std::int64_t> rank;
  LoadChoice load;
  std::string output;  // "": stdout
};

std::vector<Flag> summary_flags(SummaryRequest& request);
Result<void> complete_summary(SummaryRequest& request, const Arguments& arguments);

}  // namespace strobe::cli
