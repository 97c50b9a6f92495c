#include "strobe/cli/record_request.h"

#include <regex.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "strobe/record/metric_sets.h"

namespace strobe::cli {
namespace {

constexpr std::string_view kUsualOutput = "kernels.strobe";

Error bad(std::string what, std::string where, std::string hint = "") {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<std::string> read_pattern(const Arguments& arguments, const char* flag) {
  const std::string pattern = arguments.get(flag);
  regex_t compiled = {};
  const int result = regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (result == 0) {
    regfree(&compiled);
    return pattern;
  }
  char reason[200] = {};
  regerror(result, &compiled, reason, sizeof reason);
  return bad(fmt::format("'{}' is no regular expression: {}", pattern, reason),
             fmt::format("--{}", flag), "POSIX extended syntax, as in `grep -E`");
}

Result<void> check_window(const std::string& window) {
  const std::size_t colon = window.find(':');
  const std::string from = window.substr(0, colon);
  const std::string to = colon == std::string::npos ? from : window.substr(colon + 1);
  const auto number = [](const std::string& text, std::uint64_t if_empty) {
    if (text.empty()) return std::optional(if_empty);
    return text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos
               ? std::optional<std::uint64_t>(std::stoull(text))
               : std::nullopt;
  };
  const auto first = number(from, 0);
  const auto last = number(to, std::numeric_limits<std::uint64_t>::max());
  if (!first || !last || *first > *last || window == ":") {
    return bad(fmt::format("'{}' is no window of launches", window), "--launches",
               "A:B with both ends counting from 0; A:, :B and A work too");
  }
  return {};
}

Result<std::vector<std::string>> chosen_metrics(const Arguments& arguments) {
  std::vector<std::string> metrics;
  const std::vector<std::string> named = arguments.list("metrics");
  if (arguments.has("set") || named.empty()) {
    const std::string name = arguments.get("set", "default");
    const record::MetricSet* set = record::find_metric_set(name);
    if (set == nullptr) {
      std::string sets;
      for (const record::MetricSet& known : record::metric_sets()) {
        sets += fmt::format("{}{}", sets.empty() ? "" : ", ", known.name);
      }
      return bad(fmt::format("there is no set '{}'", name), "--set",
                 fmt::format("there are {}; --metrics names metrics one by one", sets));
    }
    metrics.assign(set->metrics.begin(), set->metrics.end());
  }
  for (const std::string& name : named) {
    if (name.find("__") == std::string::npos || name.find('.') == std::string::npos) {
      return bad(fmt::format("'{}' is no metric's name", name), "--metrics",
                 "unit__counter.rollup, as in dram__bytes_read.sum");
    }
    if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
  }
  return metrics;
}

}  // namespace

Result<KernelsRecordRequest> read_record_request(const Arguments& arguments) {
  KernelsRecordRequest request;
  if (arguments.positionals.empty()) {
    return bad("there is no command to run", "",
               "it stands after two dashes: `strobe kernels record -- python3 model.py`");
  }
  request.run.command = arguments.positionals;
  record::RecordSettings& settings = request.run.settings;
  STROBE_TRY(std::vector<std::string> metrics, chosen_metrics(arguments));
  settings.metrics = {std::move(metrics)};
  settings.is_strict = arguments.has("metrics");
  STROBE_TRY(settings.kernel_pattern, read_pattern(arguments, "kernel"));
  STROBE_TRY(settings.isolated_pattern, read_pattern(arguments, "isolate"));
  settings.launches = arguments.get("launches");
  if (!settings.launches.empty()) STROBE_TRY_VOID(check_window(settings.launches));

  request.output = arguments.get("output", kUsualOutput);
  const std::filesystem::path output = request.output;
  if (request.output == "-" || output.extension() == ".csv" || output.extension() == ".json") {
    return bad("the recording is a file of strobe's own", "--output",
               "name it x.strobe; the CSV comes beside it as x.csv, and `strobe kernels show "
               "x.strobe --format json` gives JSON");
  }
  request.csv = std::filesystem::path(output).replace_extension(".csv").string();
  return request;
}

}  // namespace strobe::cli
