#include "strobe/record/inject/host_metrics.h"

#include <limits>

namespace strobe::record {

HostMetrics::~HostMetrics() { drop_host(); }

CallFailure HostMetrics::make_host() noexcept {
  CUpti_Profiler_Host_Initialize_Params params = {};
  params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  params.pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data();
  CUptiResult result = api_->cuptiProfilerHostInitialize(&params);
  if (result != CUPTI_SUCCESS && !availability_.empty()) {
    availability_.clear();
    params.pCounterAvailabilityImage = nullptr;
    result = api_->cuptiProfilerHostInitialize(&params);
  }
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostInitialize", result};
  host_ = params.pHostObject;
  return {};
}

void HostMetrics::drop_host() noexcept {
  if (host_ == nullptr) return;
  CUpti_Profiler_Host_Deinitialize_Params params = {};
  params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  api_->cuptiProfilerHostDeinitialize(&params);
  host_ = nullptr;
}

CallFailure HostMetrics::add(std::span<const char*> names) noexcept {
  CUpti_Profiler_Host_ConfigAddMetrics_Params params = {};
  params.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  const CUptiResult result = api_->cuptiProfilerHostConfigAddMetrics(&params);
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostConfigAddMetrics", result};
  return {};
}

// One unknown name fails the whole list without saying which. So each is tried alone, on its own
// host object, because an object that has refused a metric is not reliable.
CallFailure HostMetrics::keep_known() noexcept {
  names_.clear();
  columns_.clear();
  for (std::size_t column = 0; column < metrics_.size(); ++column) {
    drop_host();
    if (const CallFailure failure = make_host(); failure.has_failed()) return failure;
    const char* name = metrics_[column].c_str();
    if (add({&name, 1}).has_failed()) {
      unknown_.push_back(metrics_[column]);
    } else {
      names_.push_back(name);
      columns_.push_back(column);
    }
  }
  drop_host();
  if (names_.empty()) return {"cuptiProfilerHostConfigAddMetrics", CUPTI_ERROR_INVALID_METRIC_NAME};
  if (const CallFailure failure = make_host(); failure.has_failed()) return failure;
  return add(names_);
}

CallFailure HostMetrics::schedule() noexcept {
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = host_;
  CUptiResult result = api_->cuptiProfilerHostGetConfigImageSize(&size);
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostGetConfigImageSize", result};

  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image = {};
  image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  result = api_->cuptiProfilerHostGetConfigImage(&image);
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostGetConfigImage", result};

  CUpti_Profiler_Host_GetNumOfPasses_Params passes = {};
  passes.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  result = api_->cuptiProfilerHostGetNumOfPasses(&passes);
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostGetNumOfPasses", result};
  passes_ = passes.numOfPasses;
  return {};
}

CallFailure HostMetrics::open(const std::string& chip, std::span<const std::uint8_t> availability,
                              const std::vector<std::string>& metrics) noexcept {
  chip_ = chip;
  availability_.assign(availability.begin(), availability.end());
  metrics_ = metrics;
  if (const CallFailure failure = make_host(); failure.has_failed()) return failure;
  for (std::size_t column = 0; column < metrics_.size(); ++column) {
    names_.push_back(metrics_[column].c_str());
    columns_.push_back(column);
  }
  if (add(names_).has_failed()) {
    if (const CallFailure failure = keep_known(); failure.has_failed()) return failure;
  }
  known_values_.resize(names_.size());
  return schedule();
}

CallFailure HostMetrics::evaluate(std::span<const std::uint8_t> counters, std::size_t range,
                                  std::vector<double>& values) noexcept {
  values.assign(metrics_.size(), std::numeric_limits<double>::quiet_NaN());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {};
  params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  params.pCounterDataImage = counters.data();
  params.counterDataImageSize = counters.size();
  params.rangeIndex = range;
  params.ppMetricNames = names_.data();
  params.numMetrics = names_.size();
  params.pMetricValues = known_values_.data();
  const CUptiResult result = api_->cuptiProfilerHostEvaluateToGpuValues(&params);
  if (result != CUPTI_SUCCESS) return {"cuptiProfilerHostEvaluateToGpuValues", result};
  for (std::size_t i = 0; i < columns_.size(); ++i) values[columns_[i]] = known_values_[i];
  return {};
}

}  // namespace strobe::record
