// A libcupti.so.13 whose device is a script. Every launch that is measured gets a range; the value
// of metric m in the range of the process's nth launch (from 0) is 1000 * (n + 1) + m, so a value
// beside the wrong kernel shows. STUB_CUPTI lists what goes wrong, words with commas between:
//
//   subscribe=39  enable=35  start=26  decode=9   the call fails with this result
//   unknown=NAME    no such metric             passes=N      of every set
//   swallow=N       launch N gets no range     reverse       ranges come last first
//   dropped=N       the decoder says so        late          a launch during whose call the
//   counters
//                                              were started is not measured
//   stale           user replay measures one batch and nothing after it
//   short=N         every Nth launch takes 1000 in metric 0, whatever its number
//
// As an H200 does it, a graph that is launched while the counters run gives no range, and nothing
// after it does until they are enabled again.

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/stub_cuda/stub_cuda.h"

namespace {

using strobe::test::StubCall;

// The content of a counter image.
struct Image {
  std::uint64_t magic;
  std::uint64_t ranges;
  std::uint64_t launches[1];  // numbers of the launches, in the order of the ranges
};
constexpr std::uint64_t kMagic = 0x5354554249000000;

struct Machine {
  CUpti_CallbackFunc callback = nullptr;
  std::vector<unsigned> enabled;
  bool hears_contexts = false;
  bool is_enabled = false;
  bool is_started = false;
  bool is_mid_launch = false;
  bool started_mid_launch = false;
  bool is_broken = false;  // until it is enabled again
  bool is_user_replay = false;
  std::uint64_t launches = 0;
  std::vector<std::uint64_t> measured;
  Image* image = nullptr;
  std::uint64_t capacity = 0;
};

Machine machine;
std::vector<std::string> host_metrics;

std::string fault(std::string_view word) {
  const char* text = std::getenv("STUB_CUPTI");
  std::string_view faults = text == nullptr ? "" : text;
  while (!faults.empty()) {
    const std::string_view one = faults.substr(0, faults.find(','));
    faults.remove_prefix(std::min(faults.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (one.substr(0, equals) != word) continue;
    return equals == std::string_view::npos ? "1" : std::string(one.substr(equals + 1));
  }
  return "";
}

CUptiResult answer(std::string_view call) {
  const std::string result = fault(call);
  return result.empty() ? CUPTI_SUCCESS : static_cast<CUptiResult>(std::atoi(result.c_str()));
}

void on_launch(const StubCall& launch, bool is_enter) {
  bool is_heard = false;
  for (const unsigned call : machine.enabled) is_heard = is_heard || call == launch.call;
  CUpti_CallbackData data = {};
  data.callbackSite = is_enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionParams = launch.parameters;
  CUresult result = launch.result;
  data.functionReturnValue = is_enter ? nullptr : &result;
  data.symbolName = launch.symbol;
  data.context = launch.context;
  data.contextUid = 1;
  machine.is_mid_launch = true;
  if (is_enter) machine.started_mid_launch = false;
  if (is_heard && is_enter) {
    machine.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, launch.call, &data);
  }
  if (is_enter && !launch.is_captured && launch.is_launch) {
    const bool is_late = machine.started_mid_launch && !fault("late").empty();
    const bool is_swallowed = fault("swallow") == std::to_string(machine.launches);
    const bool is_graph = launch.symbol == nullptr;
    if (machine.is_started && is_graph) machine.is_broken = true;
    if (machine.is_started && !machine.is_broken && !is_late && !is_swallowed &&
        launch.result == CUDA_SUCCESS) {
      machine.measured.push_back(machine.launches);
    }
    ++machine.launches;
  }
  machine.is_mid_launch = false;
  if (is_heard && !is_enter) {
    machine.callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, launch.call, &data);
  }
}

void on_destroy(CUcontext context) {
  CUpti_ResourceData data = {};
  data.context = context;
  if (machine.hears_contexts) {
    machine.callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE,
                     CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
  }
}

const Image* image_of(const std::uint8_t* bytes) {
  const auto* image = reinterpret_cast<const Image*>(bytes);
  return image->magic == kMagic ? image : nullptr;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  static std::string words;
  words = "stub result " + std::to_string(static_cast<int>(result));
  *text = words.c_str();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
  if (const CUptiResult result = answer("subscribe"); result != CUPTI_SUCCESS) return result;
  machine.callback = callback;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&machine);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto listen =
      reinterpret_cast<decltype(&stub_cuda_listen)>(dlsym(driver, "stub_cuda_listen"));
  listen(on_launch, on_destroy);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) machine.enabled.push_back(id);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) machine.hears_contexts = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* id) {
  *id = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream, std::uint8_t, std::uint32_t* id) {
  *id = 7;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GH100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(
    CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  static const char* const chips[] = {"GH100"};
  params->numChips = 1;
  params->ppChipNames = chips;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  host_metrics.clear();
  params->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(&host_metrics);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    if (params->ppMetricNames[i] == fault("unknown")) return CUPTI_ERROR_INVALID_METRIC_NAME;
  }
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    host_metrics.emplace_back(params->ppMetricNames[i]);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 64;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  std::memset(params->pConfigImage, 1, params->configImageSize);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  const std::string passes = fault("passes");
  params->numOfPasses = passes.empty() ? 1 : static_cast<std::size_t>(std::atoi(passes.c_str()));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  const Image* image = image_of(params->pCounterDataImage);
  if (image == nullptr || params->rangeIndex >= image->ranges) return CUPTI_ERROR_INVALID_PARAMETER;
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const std::uint64_t launch = image->launches[params->rangeIndex];
    params->pMetricValues[i] = static_cast<double>(1000 * (launch + 1) + i);
    const auto nth = static_cast<std::uint64_t>(std::atoi(fault("short").c_str()));
    if (i == 0 && nth != 0 && (launch + 1) % nth == 0) params->pMetricValues[i] = 1000;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  if (const CUptiResult result = answer("enable"); result != CUPTI_SUCCESS) return result;
  machine.is_enabled = true;
  machine.is_broken = false;
  params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&machine);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  machine.is_enabled = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = sizeof(Image) + params->maxNumOfRanges * sizeof(std::uint64_t);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  auto* image = reinterpret_cast<Image*>(params->pCounterData);
  image->magic = kMagic;
  image->ranges = 0;
  machine.capacity = (params->counterDataSize - sizeof(Image)) / sizeof(std::uint64_t);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  if (!machine.is_enabled || params->range != CUPTI_AutoRange) return CUPTI_ERROR_INVALID_OPERATION;
  machine.image = reinterpret_cast<Image*>(params->pCounterDataImage);
  machine.is_user_replay = params->replayMode == CUPTI_UserReplay;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  if (const CUptiResult result = answer("start"); result != CUPTI_SUCCESS) return result;
  if (machine.is_started || machine.image == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  machine.is_started = true;
  machine.started_mid_launch = machine.is_mid_launch;
  machine.measured.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  if (!machine.is_started) return CUPTI_ERROR_INVALID_OPERATION;
  machine.is_started = false;
  params->isAllPassSubmitted = 1;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  if (const CUptiResult result = answer("decode"); result != CUPTI_SUCCESS) return result;
  std::vector<std::uint64_t> launches = machine.measured;
  if (!fault("reverse").empty())
    launches.assign(machine.measured.rbegin(), machine.measured.rend());
  const std::string dropped = fault("dropped");
  params->numOfRangeDropped = static_cast<std::size_t>(std::atoi(dropped.c_str()));
  while (launches.size() > machine.capacity) launches.pop_back();
  for (std::size_t i = 0; i < params->numOfRangeDropped && !launches.empty(); ++i) {
    launches.pop_back();
  }
  for (std::size_t i = 0; i < launches.size(); ++i) machine.image->launches[i] = launches[i];
  machine.image->ranges = launches.size();
  if (machine.is_user_replay && !fault("stale").empty()) machine.is_broken = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  const Image* image = image_of(params->pCounterDataImage);
  if (image == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  params->numTotalRanges = image->ranges;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* params) {
  static std::string name;
  const Image* image = image_of(params->pCounterDataImage);
  if (image == nullptr || params->rangeIndex >= image->ranges) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::size_t number = fault("reverse").empty()
                                 ? params->rangeIndex
                                 : static_cast<std::size_t>(image->ranges) - 1 - params->rangeIndex;
  name = std::to_string(number);
  params->rangeName = name.c_str();
  return CUPTI_SUCCESS;
}

}  // extern "C"
