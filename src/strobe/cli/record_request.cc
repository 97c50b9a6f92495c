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

Result<std::string> read_pattern(std::string_view flag, const std::string& pattern) {
  regex_t compiled = {};
  const int result = regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (result == 0) {
    regfree(&compiled);
    return pattern;
  }
  char reason[200] = {};
  regerror(result, &compiled, reason, sizeof reason);
  return bad_request(fmt::format("'{}' is not a regular expression: {}", pattern, reason), flag,
                     "POSIX extended syntax, as in `grep -E`");
}

Result<std::string> read_window(std::string_view flag, const std::string& window) {
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
    return bad_request(fmt::format("'{}' is not a range of launches", window), flag,
                       "A:B, counted from 0, both included; A:, :B and A work too");
  }
  return window;
}

Result<std::string> read_metric(std::string_view flag, const std::string& name) {
  if (name.find("__") != std::string::npos && name.find('.') != std::string::npos) return name;
  return bad_request(fmt::format("'{}' is not the name of a metric", name), flag,
                     "unit__counter.rollup, as in dram__bytes_read.sum");
}

std::vector<std::string> chosen_metrics(const KernelsRecordRequest& request) {
  std::vector<std::string> metrics;
  if (!request.set.empty() || request.metrics.empty()) {
    const auto& set = *record::find_metric_set(request.set.empty() ? "default" : request.set);
    metrics.assign(set.metrics.begin(), set.metrics.end());
  }
  for (const std::string& name : request.metrics) {
    if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(name);
  }
  return metrics;
}

}  // namespace

Result<std::string> read_metric_set(std::string_view flag, const std::string& name) {
  if (record::find_metric_set(name) != nullptr) return name;
  std::vector<std::string_view> sets;
  for (const record::MetricSet& known : record::metric_sets()) sets.push_back(known.name);
  return bad_request(
      fmt::format("there is no set '{}'", name), flag,
      fmt::format("there are {}; `strobe kernels metrics` lists their metrics", joined(sets)));
}

std::vector<Flag> record_flags(KernelsRecordRequest& request) {
  record::RecordSettings& settings = request.run.settings;
  return {
      flag("--set NAME",
           "which metrics to count: default, classic, l2, f32, bench or full (default: default)",
           to(request.set, read_metric_set)),
      flag("--metrics LIST", "metrics by name, instead of a set; with --set, in addition to it",
           to_each(request.metrics, read_metric)),
      flag("--kernel REGEX", "only kernels whose demangled name matches (POSIX extended)",
           to(settings.kernel_pattern, read_pattern)),
      flag("--isolate REGEX",
           "restart the counters before each kernel whose name matches (30 ms each), so that its "
           "DRAM traffic does not include writes of the previous kernel; '^$' for none (default: "
           "before short kernels that follow long ones)",
           to(settings.isolated_pattern, read_pattern)),
      flag("--launches A:B",
           "launches A to B of each process, from 0, inclusive; or A: (from A), :B (to B), A (only "
           "A)",
           to(settings.launches, read_window)),
      flag("-o, --output FILE", "the recording; its CSV has the same name with .csv",
           to(request.output))};
}

Result<void> complete_record(KernelsRecordRequest& request, const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    return bad_request("no command was given", "",
                       "put it after two dashes: `strobe kernels record -- python3 model.py`");
  }
  request.run.command = arguments.positionals;
  record::RecordSettings& settings = request.run.settings;
  settings.metrics = {chosen_metrics(request)};
  settings.is_strict = !request.metrics.empty();
  const std::filesystem::path output = request.output;
  if (request.output == "-" || output.extension() == ".csv" || output.extension() == ".json") {
    return bad_request("the recording has a format of its own", "--output",
                       "name it x.strobe; the CSV is written beside it as x.csv, and `strobe "
                       "kernels show x.strobe --format json` gives JSON");
  }
  request.csv = std::filesystem::path(output).replace_extension(".csv").string();
  return {};
}

}  // namespace strobe::cli
