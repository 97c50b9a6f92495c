#include "strobe/record/recording_environment.h"

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/record/library_finder.h"
#include "strobe/wire/record_settings.h"

namespace strobe::record {

Variables recording_environment(const RecordSettings& settings, const std::filesystem::path& folder,
                                const std::string& program) {
  std::string metrics;
  for (const std::vector<std::string>& list : settings.metrics) {
    metrics += fmt::format("{}{}", metrics.empty() ? "" : ";", fmt::join(list, ","));
  }
  Variables variables = {
      {"CUDA_INJECTION64_PATH", settings.library.string()},
      {wire::kRecordFolder, folder.string()},
      {wire::kRecordMetrics, metrics},
      {wire::kRecordStrict, settings.is_strict ? "1" : ""},
      {wire::kRecordKernel, settings.kernel_pattern},
      {wire::kRecordIsolate, settings.isolated_pattern},
      {wire::kRecordLaunches, settings.launches},
  };
  if (settings.has_windows) variables.emplace_back(wire::kRecordWindow, "1");
  if (std::getenv(wire::kRecordCupti) == nullptr) {
    variables.emplace_back(wire::kRecordCupti, find_python_cupti(program));
  }
  return variables;
}

}  // namespace strobe::record
