#include "strobe/trace/slice_kind.h"

namespace strobe {

std::string_view word_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::kOther:
      return "other";
    case SliceKind::kStep:
      return "step";
    case SliceKind::kOperator:
      return "operator";
    case SliceKind::kOperatorPhase:
      return "operator phase";
    case SliceKind::kUserRange:
      return "user range";
    case SliceKind::kAnnotation:
      return "annotation";
    case SliceKind::kDataLoader:
      return "data loader";
    case SliceKind::kForward:
      return "forward";
    case SliceKind::kBackward:
      return "backward";
    case SliceKind::kOptimizer:
      return "optimizer";
    case SliceKind::kCommunication:
      return "communication";
    case SliceKind::kPythonOp:
      return "python op";
    case SliceKind::kDynamicLaunch:
      return "dynamic launch";
    case SliceKind::kStaticLaunch:
      return "static launch";
    case SliceKind::kPythonCall:
      return "python call";
    case SliceKind::kRuntimeCall:
      return "runtime call";
    case SliceKind::kOverhead:
      return "overhead";
    case SliceKind::kSync:
      return "sync";
    case SliceKind::kProfiler:
      return "profiler";
    case SliceKind::kCondition:
      return "condition";
    case SliceKind::kKernel:
      return "kernel";
    case SliceKind::kMemcpy:
      return "memcpy";
    case SliceKind::kMemset:
      return "memset";
    case SliceKind::kDeviceAnnotation:
      return "device annotation";
  }
  return "other";
}

}  // namespace strobe
