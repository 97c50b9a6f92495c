#include "strobe/record/inject/context_profiler.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace strobe::record {
namespace {

constexpr unsigned kMostFailures = 3;  // lost batches before a context is given up
constexpr char kDuration[] = "gpu__time_duration.";

std::string sentence(const CuptiApi& cupti, const CallFailure& failure) noexcept {
  return std::string(failure.call) + ": " + result_text(cupti, failure.result);
}

// The number at the end of a range's name; -1 if there is none.
std::int64_t number_of(const char* name) noexcept {
  if (name == nullptr) return -1;
  const char* digits = name + std::strlen(name);
  while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') --digits;
  return *digits == 0 ? -1 : std::strtoll(digits, nullptr, 10);
}

}  // namespace

// No automatic isolation with windows, where the program decides, or with an isolated pattern.
ContextProfiler::ContextProfiler(const Parts& parts, CUcontext context) noexcept
    : parts_(parts),
      context_(context),
      isolates_(!parts.settings->has_windows && parts.settings->isolated_pattern.empty()) {}

wire::Obstacle obstacle_of(CUptiResult result, wire::Obstacle otherwise) noexcept {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return wire::Obstacle::kNoPermission;
    case CUPTI_ERROR_HARDWARE_BUSY:
      return wire::Obstacle::kCountersBusy;
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
      return wire::Obstacle::kOtherTool;
    case CUPTI_ERROR_INVALID_METRIC_NAME:
      return wire::Obstacle::kUnknownMetric;
    case CUPTI_ERROR_INVALID_CHIP_NAME:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return wire::Obstacle::kUnsupportedDevice;
    default:
      return otherwise;
  }
}

template <class Call, class Params>
CUptiResult ContextProfiler::make(const char* name, Call call, Params& params) const noexcept {
  const Inside inside(*parts_.writer, name);
  return call(&params);
}

bool ContextProfiler::fail(const CallFailure& failure, wire::Obstacle otherwise) noexcept {
  state_ = State::kFailed;
  std::string text = sentence(*parts_.cupti, failure);
  wire::Obstacle what = obstacle_of(failure.result, otherwise);
  if (what == wire::Obstacle::kSetup || what == wire::Obstacle::kUnsupportedDevice) {
    if (const std::string reason = why_unsupported(); !reason.empty()) {
      what = wire::Obstacle::kUnsupportedDevice;
      text += " (" + reason + ")";
    }
  }
  parts_.writer->obstacle(what, text, static_cast<int>(failure.result), 0, true);
  return false;
}

// Called only after a failure, to explain it; the result permits nothing.
std::string ContextProfiler::why_unsupported() const noexcept {
  if (parts_.cupti->cuptiProfilerDeviceSupported == nullptr) return "";
  CUdevice device = 0;
  if (parts_.driver->device_get == nullptr ||
      parts_.driver->device_get(&device, static_cast<int>(device_)) != CUDA_SUCCESS) {
    return "";
  }
  CUpti_Profiler_DeviceSupported_Params params = {};
  params.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (make("cuptiProfilerDeviceSupported", parts_.cupti->cuptiProfilerDeviceSupported, params) !=
      CUPTI_SUCCESS)
    return "";
  const auto refuses = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
           level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  if (refuses(params.architecture)) return "its architecture";
  if (refuses(params.sli)) return "SLI";
  if (refuses(params.vGpu)) return "it is virtual";
  if (refuses(params.confidentialCompute)) return "confidential computing";
  if (refuses(params.cmp)) return "it is a mining processor";
  if (refuses(params.wsl)) return "WSL";
  return "";
}

std::vector<std::uint8_t> ContextProfiler::availability() const noexcept {
  if (parts_.cupti->cuptiProfilerGetCounterAvailability == nullptr) return {};
  CUpti_Profiler_GetCounterAvailability_Params params = {};
  params.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  params.ctx = context_;
  if (make("cuptiProfilerGetCounterAvailability", parts_.cupti->cuptiProfilerGetCounterAvailability,
           params) != CUPTI_SUCCESS)
    return {};
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  if (make("cuptiProfilerGetCounterAvailability", parts_.cupti->cuptiProfilerGetCounterAvailability,
           params) != CUPTI_SUCCESS)
    return {};
  return image;
}

bool ContextProfiler::check_metrics() noexcept {
  const bool is_strict = parts_.settings->is_strict;
  for (const std::string& name : metrics_->unknown()) {
    parts_.writer->obstacle(wire::Obstacle::kUnknownMetric, name, CUPTI_ERROR_INVALID_METRIC_NAME,
                            0, is_strict);
  }
  if (is_strict && !metrics_->unknown().empty()) state_ = State::kFailed;
  uses_user_replay_ = metrics_->passes() == 1 && parts_.settings->replay != Replay::kKernel;
  if (parts_.settings->replay == Replay::kUser && metrics_->passes() > 1) {
    state_ = State::kFailed;
    parts_.writer->obstacle(wire::Obstacle::kBadSettings, "more than one pass needs kernel replay",
                            0, 0, true);
  }
  return state_ != State::kFailed;
}

CallFailure ContextProfiler::make_counters() noexcept {
  const std::span<const char*> names = metrics_->names();
  CUpti_RangeProfiler_GetCounterDataSize_Params size = {};
  size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = parts_.settings->batch;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(parts_.settings->batch);
  const CUptiResult result = make("cuptiRangeProfilerGetCounterDataSize",
                                  parts_.cupti->cuptiRangeProfilerGetCounterDataSize, size);
  if (result != CUPTI_SUCCESS) return {"cuptiRangeProfilerGetCounterDataSize", result};
  counter_bytes_ = size.counterDataSize;
  counters_.reset(static_cast<std::uint8_t*>(std::calloc(counter_bytes_, 1)));
  if (counters_ == nullptr) return {"calloc", CUPTI_ERROR_OUT_OF_MEMORY};
  return {};
}

bool ContextProfiler::set_up() noexcept {
  const CuptiApi& cupti = *parts_.cupti;
  if (const CUptiResult result = cupti.cuptiGetDeviceId(context_, &device_);
      result != CUPTI_SUCCESS) {
    return fail({"cuptiGetDeviceId", result}, wire::Obstacle::kSetup);
  }
  CUpti_Profiler_Initialize_Params initialize = {};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  if (const CUptiResult result =
          make("cuptiProfilerInitialize", cupti.cuptiProfilerInitialize, initialize);
      result != CUPTI_SUCCESS) {
    return fail({"cuptiProfilerInitialize", result}, wire::Obstacle::kSetup);
  }
  CUpti_Device_GetChipName_Params chip = {};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = device_;
  if (const CUptiResult result = make("cuptiDeviceGetChipName", cupti.cuptiDeviceGetChipName, chip);
      result != CUPTI_SUCCESS) {
    return fail({"cuptiDeviceGetChipName", result}, wire::Obstacle::kSetup);
  }
  wire::DeviceRecord record = describe_device(*parts_.driver, static_cast<int>(device_));
  chip_ = chip.pChipName == nullptr ? "" : chip.pChipName;
  std::strncpy(record.chip, chip_.c_str(), sizeof record.chip - 1);
  parts_.writer->device(record);
  return open_metrics() && enable();
}

// The metrics of the current window; all of them without windows.
bool ContextProfiler::open_metrics() noexcept {
  const std::vector<std::size_t>& lists = parts_.settings->metrics_per_window;
  const std::uint32_t window = std::max<std::uint32_t>(parts_.window->load(), 1) - 1;
  const std::size_t list = window % lists.size();
  first_metric_ = 0;
  for (std::size_t i = 0; i < list; ++i) first_metric_ += lists[i];
  const auto first = parts_.settings->metrics.begin() + static_cast<std::ptrdiff_t>(first_metric_);
  const std::vector<std::string> wanted(first, first + static_cast<std::ptrdiff_t>(lists[list]));

  metrics_ = std::make_unique<HostMetrics>(*parts_.cupti);
  const std::vector<std::uint8_t> available = availability();
  CallFailure opened;
  {
    const Inside inside(*parts_.writer, "cuptiProfilerHost...");
    opened = metrics_->open(chip_, available, wanted);
  }
  if (opened.has_failed()) {
    check_metrics();
    return fail(opened, wire::Obstacle::kSetup);
  }
  if (!check_metrics()) return false;
  std::uint32_t& passes = parts_.writer->header().passes;
  passes = std::max(passes, static_cast<std::uint32_t>(metrics_->passes()));
  return true;
}

bool ContextProfiler::enable() noexcept {
  const wire::Obstacle otherwise =
      state_ == State::kNew ? wire::Obstacle::kSetup : wire::Obstacle::kMeasure;
  CUpti_RangeProfiler_Enable_Params params = {};
  params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  params.ctx = context_;
  if (const CUptiResult result =
          make("cuptiRangeProfilerEnable", parts_.cupti->cuptiRangeProfilerEnable, params);
      result != CUPTI_SUCCESS) {
    return fail({"cuptiRangeProfilerEnable", result}, otherwise);
  }
  profiler_ = params.pRangeProfilerObject;
  if (const CallFailure failure = make_counters(); failure.has_failed()) {
    return fail(failure, otherwise);
  }
  if (const CallFailure failure = arm(); failure.has_failed()) return fail(failure, otherwise);
  state_ = State::kReady;
  return true;
}

void ContextProfiler::disable() noexcept {
  if (profiler_ == nullptr) return;
  CUpti_RangeProfiler_Disable_Params params = {};
  params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  make("cuptiRangeProfilerDisable", parts_.cupti->cuptiRangeProfilerDisable, params);
  profiler_ = nullptr;
}

// Creates an empty image and gives it to the profiler.
CallFailure ContextProfiler::arm() noexcept {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = {};
  image.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  image.pRangeProfilerObject = profiler_;
  image.counterDataSize = counter_bytes_;
  image.pCounterData = counters_.get();
  CUptiResult result = make("cuptiRangeProfilerCounterDataImageInitialize",
                            parts_.cupti->cuptiRangeProfilerCounterDataImageInitialize, image);
  if (result != CUPTI_SUCCESS) return {"cuptiRangeProfilerCounterDataImageInitialize", result};

  CUpti_RangeProfiler_SetConfig_Params config = {};
  config.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  config.pRangeProfilerObject = profiler_;
  config.configSize = metrics_->config().size();
  config.pConfig = metrics_->config().data();
  config.counterDataImageSize = counter_bytes_;
  config.pCounterDataImage = counters_.get();
  config.range = CUPTI_AutoRange;
  config.replayMode = uses_user_replay_ ? CUPTI_UserReplay : CUPTI_KernelReplay;
  config.maxRangesPerPass = parts_.settings->batch;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 0;
  result = make("cuptiRangeProfilerSetConfig", parts_.cupti->cuptiRangeProfilerSetConfig, config);
  if (result != CUPTI_SUCCESS) return {"cuptiRangeProfilerSetConfig", result};
  is_armed_ = true;
  return {};
}

bool ContextProfiler::start() noexcept {
  if (state_ == State::kStarted) return true;
  if (state_ == State::kNew && !set_up()) return false;
  if (state_ == State::kFailed) return false;
  if (is_between_windows_) {
    is_between_windows_ = false;
    must_restart_ = false;
    is_after_graph_ = false;
    if (!open_metrics() || !enable()) return false;
  }
  if (must_restart_ || (is_after_graph_ && breaks_at_graphs_)) {
    // The slower mode is more reliable.
    if (must_restart_ && !is_after_graph_) uses_user_replay_ = false;
    must_restart_ = false;
    is_after_graph_ = false;
    disable();
    if (!enable()) return false;
  }
  if (!is_armed_) {
    if (const CallFailure failure = arm(); failure.has_failed()) {
      return fail(failure, wire::Obstacle::kMeasure);
    }
  }
  CUpti_RangeProfiler_Start_Params params = {};
  params.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  const CUptiResult result =
      make("cuptiRangeProfilerStart", parts_.cupti->cuptiRangeProfilerStart, params);
  if (result != CUPTI_SUCCESS) {
    return fail({"cuptiRangeProfilerStart", result}, parts_.writer->header().batches == 0
                                                         ? wire::Obstacle::kSetup
                                                         : wire::Obstacle::kMeasure);
  }
  state_ = State::kStarted;
  is_armed_ = false;
  return true;
}

void ContextProfiler::add(Launch launch) noexcept { launches_.push_back(std::move(launch)); }

CallFailure ContextProfiler::stop() noexcept {
  CUpti_RangeProfiler_Stop_Params params = {};
  params.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  const CUptiResult result =
      make("cuptiRangeProfilerStop", parts_.cupti->cuptiRangeProfilerStop, params);
  if (result != CUPTI_SUCCESS) return {"cuptiRangeProfilerStop", result};

  CUpti_RangeProfiler_DecodeData_Params decode = {};
  decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  decode.pRangeProfilerObject = profiler_;
  const CUptiResult decoded =
      make("cuptiRangeProfilerDecodeData", parts_.cupti->cuptiRangeProfilerDecodeData, decode);
  if (decoded != CUPTI_SUCCESS) return {"cuptiRangeProfilerDecodeData", decoded};
  if (decode.numOfRangeDropped != 0) {
    parts_.writer->obstacle(wire::Obstacle::kDropped,
                            std::to_string(decode.numOfRangeDropped) + " of " +
                                std::to_string(launches_.size()) + " launches");
  }
  return {};
}

void ContextProfiler::lose_batch(wire::Obstacle what, const std::string& text,
                                 int result) noexcept {
  std::uint64_t wanted = 0;
  for (const Launch& launch : launches_) wanted += launch.is_wanted ? 1 : 0;
  must_restart_ = true;
  isolation_.learn(0, 0);  // the launch before the next one is unknown
  count(parts_.writer->header().launches_lost, wanted);
  parts_.writer->obstacle(what, text, result, wanted);
}

// The range of each launch. Ranges are named by the number of their launch, so they can be
// reordered if they come in another order. Empty if the numbers are inconsistent.
std::vector<std::size_t> ContextProfiler::range_order(std::size_t ranges) const noexcept {
  std::vector<std::int64_t> numbers(ranges, -1);
  std::int64_t least = -1;
  for (std::size_t range = 0; range < ranges; ++range) {
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params info = {};
    info.structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE;
    info.pCounterDataImage = counters_.get();
    info.counterDataImageSize = counter_bytes_;
    info.rangeIndex = range;
    info.rangeDelimiter = "/";
    if (make("cuptiRangeProfilerCounterDataGetRangeInfo",
             parts_.cupti->cuptiRangeProfilerCounterDataGetRangeInfo, info) != CUPTI_SUCCESS)
      return {};
    numbers[range] = number_of(info.rangeName);
    if (numbers[range] < 0) return {};
    if (least < 0 || numbers[range] < least) least = numbers[range];
  }
  std::vector<std::size_t> order(ranges, ranges);
  for (std::size_t range = 0; range < ranges; ++range) {
    const auto place = static_cast<std::size_t>(numbers[range] - least);
    if (place >= ranges || order[place] != ranges) return {};
    order[place] = range;
  }
  return order;
}

void ContextProfiler::write_launch(const Launch& launch, std::size_t range) noexcept {
  if (!launch.is_wanted) return;
  wire::SectionHeader& header = parts_.writer->header();
  if (const CallFailure failure = metrics_->evaluate(counters(), range, values_);
      failure.has_failed()) {
    count(header.launches_lost, 1);
    parts_.writer->obstacle(obstacle_of(failure.result, wire::Obstacle::kMeasure),
                            sentence(*parts_.cupti, failure), static_cast<int>(failure.result), 1);
    return;
  }
  const std::size_t all = parts_.settings->metrics.size();
  if (values_.size() < all) {
    constexpr double kNotCounted = std::numeric_limits<double>::quiet_NaN();
    values_.insert(values_.begin(), first_metric_, kNotCounted);
    values_.resize(all, kNotCounted);
  }
  parts_.writer->launch(launch.record, launch.name, values_);
  count(header.launches_recorded, 1);
}

// Uses the values that were just written for it, if any.
void ContextProfiler::learn_from(const Launch& launch) noexcept {
  const std::vector<std::string>& metrics = parts_.settings->metrics;
  const auto duration = std::ranges::find_if(
      metrics, [](const std::string& metric) { return metric.starts_with(kDuration); });
  const auto place = static_cast<std::size_t>(duration - metrics.begin());
  const wire::LaunchRecord& record = launch.record;
  isolation_.learn(kind_of_launch(launch.name, {record.grid[0], record.grid[1], record.grid[2]}),
                   place < values_.size() ? values_[place] : 0);
}

CallFailure ContextProfiler::pair_up() noexcept {
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = counters_.get();
  info.counterDataImageSize = counter_bytes_;
  const CUptiResult result = make("cuptiRangeProfilerGetCounterDataInfo",
                                  parts_.cupti->cuptiRangeProfilerGetCounterDataInfo, info);
  if (result != CUPTI_SUCCESS) return {"cuptiRangeProfilerGetCounterDataInfo", result};

  if (info.numTotalRanges != launches_.size()) {
    breaks_at_graphs_ = breaks_at_graphs_ || (is_after_graph_ && info.numTotalRanges == 0);
    must_start_early_ = must_start_early_ || info.numTotalRanges + 1 == launches_.size();
    lose_batch(wire::Obstacle::kMismatch,
               std::to_string(info.numTotalRanges) + " ranges for " +
                   std::to_string(launches_.size()) + " launches, the first " +
                   launches_.front().name,
               0);
    return {};
  }
  const std::vector<std::size_t> order = range_order(launches_.size());
  if (order.empty()) {
    lose_batch(wire::Obstacle::kMismatch, "the ranges are not numbered as the launches are", 0);
    return {};
  }
  is_after_graph_ = false;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    values_.clear();
    write_launch(launches_[i], order[i]);
    if (isolates_) learn_from(launches_[i]);
  }
  return {};
}

void ContextProfiler::flush() noexcept {
  if (state_ != State::kStarted) return;
  state_ = State::kReady;
  CallFailure failure = stop();
  if (!failure.has_failed() && !launches_.empty()) failure = pair_up();
  if (failure.has_failed()) {
    lose_batch(obstacle_of(failure.result, wire::Obstacle::kMeasure),
               sentence(*parts_.cupti, failure), static_cast<int>(failure.result));
    if (++failures_ == kMostFailures) fail(failure, wire::Obstacle::kMeasure);
  }
  count(parts_.writer->header().batches, 1);
  launches_.clear();
  parts_.writer->flush();
}

void ContextProfiler::restart() noexcept {
  if (uses_user_replay_ && !launches_.empty()) flush();
}

void ContextProfiler::leave_out_pending() noexcept {
  for (Launch& launch : launches_) {
    if (!launch.is_wanted) continue;
    launch.is_wanted = false;
    std::atomic_ref(parts_.writer->header().launches_chosen)
        .fetch_sub(1, std::memory_order_relaxed);
  }
}

void ContextProfiler::end_window() noexcept {
  flush();
  if (state_ != State::kReady) return;
  disable();
  is_between_windows_ = true;
}

void ContextProfiler::flush_for_graph() noexcept {
  flush();
  is_after_graph_ = true;
}

void ContextProfiler::close() noexcept {
  flush();
  disable();
  state_ = State::kFailed;
}

}  // namespace strobe::record
