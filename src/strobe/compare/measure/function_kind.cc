#include "strobe/compare/measure/function_kind.h"

namespace strobe::compare {

std::string_view word_of(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kKernel:
      return "kernel";
    case FunctionKind::kCollective:
      return "collective";
    case FunctionKind::kMemcpy:
      return "memcpy";
    case FunctionKind::kMemset:
      return "memset";
    case FunctionKind::kHostOperator:
      return "host_operator";
    case FunctionKind::kRuntimeCall:
      return "runtime_call";
    case FunctionKind::kScheduling:
      return "scheduling";
    case FunctionKind::kInputOutput:
      return "input_output";
    case FunctionKind::kOverhead:
      return "overhead";
  }
  return "";
}

std::optional<FunctionKind> function_kind(SliceKind kind, std::uint8_t flags,
                                          std::string_view category, TrackKind track) {
  switch (kind) {
    case SliceKind::kKernel:
      return (flags & kCommunicates) != 0 ? FunctionKind::kCollective : FunctionKind::kKernel;
    case SliceKind::kMemcpy:
      return FunctionKind::kMemcpy;
    case SliceKind::kMemset:
      return FunctionKind::kMemset;
    case SliceKind::kRuntimeCall:
      return FunctionKind::kRuntimeCall;
    case SliceKind::kOverhead:
      return FunctionKind::kOverhead;
    case SliceKind::kStep:
    case SliceKind::kPythonCall:
    case SliceKind::kSync:
    case SliceKind::kProfiler:
    case SliceKind::kDeviceAnnotation:
      return std::nullopt;
    default:
      break;
  }
  if (category == "os_sched") return FunctionKind::kScheduling;
  if (category == "os_io") return FunctionKind::kInputOutput;
  if (track == TrackKind::kDeviceStream) return std::nullopt;
  return FunctionKind::kHostOperator;
}

}  // namespace strobe::compare
