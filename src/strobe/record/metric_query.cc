#include "strobe/record/metric_query.h"

#include <cstdlib>

#include <fmt/format.h>

#include "strobe/record/obstacles.h"
#include "strobe/wire/record_settings.h"

#if STROBE_HAVE_CUPTI_HEADERS
#include "strobe/record/inject/cuda_api.h"
#include "strobe/record/inject/host_metrics.h"
#endif

namespace strobe::record {

#if STROBE_HAVE_CUPTI_HEADERS
namespace {

Error refused(const CuptiApi& api, const char* call, CUptiResult result) {
  return {.code = ErrorCode::kMachineLacks,
          .what = fmt::format("CUPTI does not answer ({}: {})", call, result_text(api, result)),
          .where = api.path,
          .hint = ""};
}

Result<CuptiApi> open_library() {
  const char* named = std::getenv(wire::kRecordCupti);
  CuptiApi api;
  std::string problem;
  switch (load_cupti(named == nullptr ? "" : named, api, problem)) {
    case CuptiLoad::kNotFound:
      return explain(wire::Obstacle::kNoLibrary, problem, "strobe");
    case CuptiLoad::kTooOld:
      return explain(wire::Obstacle::kOldLibrary, problem, "strobe");
    case CuptiLoad::kLoaded:
      break;
  }
  return api;
}

}  // namespace

Result<std::vector<std::string>> known_chips() {
  STROBE_TRY(const CuptiApi api, open_library());
  CUpti_Profiler_Host_GetSupportedChips_Params params = {};
  params.structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE;
  if (const CUptiResult result = api.cuptiProfilerHostGetSupportedChips(&params);
      result != CUPTI_SUCCESS) {
    return refused(api, "cuptiProfilerHostGetSupportedChips", result);
  }
  return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

Result<MetricPlan> plan_metrics(const std::string& chip, const std::vector<std::string>& metrics) {
  STROBE_TRY(const CuptiApi api, open_library());
  HostMetrics host(api);
  const CallFailure failure = host.open(chip, {}, metrics);
  if (failure.has_failed() && failure.result == CUPTI_ERROR_INVALID_METRIC_NAME) {
    return MetricPlan{.passes = 0, .unknown = host.unknown()};
  }
  if (failure.has_failed()) return refused(api, failure.call, failure.result);
  return MetricPlan{.passes = host.passes(), .unknown = host.unknown()};
}

#else

namespace {

Error built_without() {
  return {.code = ErrorCode::kMachineLacks,
          .what = "this strobe was built without the CUDA toolkit's headers",
          .where = "",
          .hint = "build it where cupti.h is found"};
}

}  // namespace

Result<std::vector<std::string>> known_chips() { return built_without(); }
Result<MetricPlan> plan_metrics(const std::string&, const std::vector<std::string>&) {
  return built_without();
}

#endif

}  // namespace strobe::record
