#include "strobe/record/inject/activity/call_names.h"

#include <algorithm>
#include <array>

namespace strobe::record {
namespace {

// What a program waits for, or what makes a device or its memory work.
constexpr std::array<std::string_view, 9> kRuntimeBeginnings = {
    "cudaMemcpy",       "cudaMemset",         "cudaMalloc",
    "cudaFree",         "cudaHostAlloc",      "cudaMemPrefetch",
    "cudaHostRegister", "cudaHostUnregister", "cudaGraphInstantiate"};
constexpr std::array<std::string_view, 17> kDriverBeginnings = {
    "cuLaunch",       "cuGraphLaunch",     "cuMemcpy",
    "cuMemset",       "cuMemAlloc",        "cuMemFree",
    "cuMemHostAlloc", "cuMemHostRegister", "cuMemHostUnregister",
    "cuMemCreate",    "cuMemRelease",      "cuMemMap",
    "cuMemUnmap",     "cuMemPrefetch",     "cuModuleLoad",
    "cuLibraryLoad",  "cuGraphInstantiate"};
constexpr std::array<std::string_view, 3> kNotWorkOfADevice = {
    "cuLaunchHostFunc", "cudaMallocArray", "cuMemAllocationProp"};

bool begins_with_one_of(std::string_view name, auto& beginnings) noexcept {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view with) { return name.starts_with(with); });
}

bool is_wait(std::string_view plain) noexcept {
  return plain.ends_with("Synchronize") || plain.ends_with("StreamWaitEvent");
}

}  // namespace

std::string_view plain_call_name(std::string_view cupti_name) noexcept {
  const std::size_t version = cupti_name.rfind("_v");
  if (version != std::string_view::npos &&
      cupti_name.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
    cupti_name = cupti_name.substr(0, version);
  }
  for (const std::string_view variant : {"_ptsz", "_ptds"}) {
    if (cupti_name.ends_with(variant)) cupti_name.remove_suffix(variant.size());
  }
  return cupti_name;
}

bool is_recorded_call(CallSet set, CallSide side, std::string_view cupti_name) noexcept {
  if (set == CallSet::kNone) return false;
  const std::string_view name = plain_call_name(cupti_name);
  if (set == CallSet::kAll) return name != "INVALID";
  if (begins_with_one_of(name, kNotWorkOfADevice)) return false;
  if (is_wait(name)) return true;
  return side == CallSide::kRuntime ? begins_with_one_of(name, kRuntimeBeginnings)
                                    : begins_with_one_of(name, kDriverBeginnings);
}

}  // namespace strobe::record
