#include "strobe/record/inject/activity/activity_api.h"

#include <dlfcn.h>

namespace strobe::record {

CuptiLoad load_activity_api(const std::string& preferred, ActivityApi& api,
                            std::string& problem) noexcept {
  void* handle = open_cupti(preferred, api.path, problem);
  if (handle == nullptr) return CuptiLoad::kNotFound;
  problem.clear();
#define STROBE_FIND_CALL(name)                                           \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, #name)); \
  if (api.name == nullptr && problem.empty()) problem = #name;
  STROBE_CUPTI_ACTIVITY_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
#define STROBE_FIND_CALL(name) \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, #name));
  STROBE_CUPTI_OPTIONAL_ACTIVITY_CALLS(STROBE_FIND_CALL)
#undef STROBE_FIND_CALL
  if (api.cuptiGetVersion != nullptr) api.cuptiGetVersion(&api.version);
  if (problem.empty()) return CuptiLoad::kLoaded;
  problem = api.path + " (version " + std::to_string(api.version) + ") has no " + problem;
  return CuptiLoad::kTooOld;
}

std::string failed_call_text(const ActivityApi& api, const char* call,
                             CUptiResult result) noexcept {
  const char* text = nullptr;
  if (api.cuptiGetResultString != nullptr) api.cuptiGetResultString(result, &text);
  const std::string reason =
      text == nullptr ? "result " + std::to_string(static_cast<int>(result)) : text;
  return std::string(call) + ": " + reason;
}

}  // namespace strobe::record
