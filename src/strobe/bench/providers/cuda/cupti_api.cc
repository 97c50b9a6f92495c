#include "strobe/bench/providers/cuda/cupti_api.h"

#include <fmt/format.h>

#include "strobe/device/vendor_library.h"

namespace strobe::bench {

Result<void> CuptiApi::check(CuptiResult result, const char* call, const CuptiUse& use) const {
  if (result == cupti::kSuccess) [[likely]]
    return {};
  const char* name = nullptr;
  if (result_text(result, &name) != cupti::kSuccess) name = nullptr;
  return Error{.code = ErrorCode::kMachineLacks,
               .what = fmt::format("{} cannot be recorded: {} gives {} ({})", use.what, call,
                                   name == nullptr ? "an error" : name, result),
               .where = std::string(use.flag),
               .hint = result == cupti::kMultipleSubscribers
                           ? "another profiler is at work in this process; run without it"
                           : fmt::format("a profiler around strobe, a driver older than CUPTI or "
                                         "missing rights may be why; {}",
                                         use.otherwise)};
}

Result<CuptiApi> open_cupti_at(const std::string& library) {
  constexpr std::string_view kKind = "CUPTI of CUDA 12 or 13";
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at(library));
  CuptiApi api;
  opened.need(api.version, "cuptiGetVersion");
  opened.need(api.result_text, "cuptiGetResultString");
  opened.need(api.register_callbacks, "cuptiActivityRegisterCallbacks");
  opened.need(api.enable, "cuptiActivityEnable");
  opened.need(api.disable, "cuptiActivityDisable");
  opened.need(api.flush_all, "cuptiActivityFlushAll");
  opened.need(api.next_record, "cuptiActivityGetNextRecord");
  opened.need(api.dropped, "cuptiActivityGetNumDroppedRecords");
  opened.need(api.timestamp, "cuptiGetTimestamp");
  opened.need(api.call_name, "cuptiGetCallbackName");
  STROBE_TRY_VOID(opened.check_complete(kKind));
  std::uint32_t version = 0;
  if (api.version(&version) != cupti::kSuccess || version < cupti::kOldest ||
      version >= cupti::kNewestBelow) {
    return opened.refusal(kKind, fmt::format("its version is {}", version));
  }
  return api;
}

Result<CuptiApi> open_cupti(int newest_major) {
  return device::open_library(device::Library::kCupti, newest_major, open_cupti_at);
}

}  // namespace strobe::bench
