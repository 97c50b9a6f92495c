#include "strobe/paddle/labels.h"

namespace strobe::paddle {

std::string label_of(SliceKind kind, const TraceTraits& traits) {
  switch (kind) {
    case SliceKind::kOther:
      return "Other";
    case SliceKind::kStep:
      return "ProfileStep";
    case SliceKind::kOperator:
      return "Operator";
    case SliceKind::kOperatorPhase:
      return "OperatorInner";
    case SliceKind::kUserRange:
      return "UserDefined";
    case SliceKind::kAnnotation:
      return "PythonUserDefined";
    case SliceKind::kDataLoader:
      return "Dataloader";
    case SliceKind::kForward:
      return "Forward";
    case SliceKind::kBackward:
      return "Backward";
    case SliceKind::kOptimizer:
      return "Optimization";
    case SliceKind::kCommunication:
      return "Communication";
    case SliceKind::kPythonOp:
    case SliceKind::kPythonCall:
      return "PythonOp";
    case SliceKind::kDynamicLaunch:
      return "DygraphKernelLaunch";
    case SliceKind::kStaticLaunch:
      return "StaticKernelLaunch";
    case SliceKind::kRuntimeCall:
      return traits.runtime_label.empty() ? "Runtime" : traits.runtime_label;
    case SliceKind::kOverhead:
      return "Overhead";
    case SliceKind::kSync:
      return "Sync";
    case SliceKind::kProfiler:
      return "Profiler";
    case SliceKind::kCondition:
      return "Condition";
    case SliceKind::kKernel:
      return "Kernel";
    case SliceKind::kMemcpy:
      return "Memcpy";
    case SliceKind::kMemset:
      return "Memset";
    case SliceKind::kDeviceAnnotation:
      return "DeviceAnnotation";
  }
  return "Other";
}

std::string label_of(const analysis::TypeRow& row, const TraceTraits& traits) {
  if (row.kind == SliceKind::kOther && !row.label.empty()) return row.label;
  return label_of(row.kind, traits);
}

std::string total_label(const analysis::Summary& summary) {
  return summary.has_steps ? "ProfileStep" : "Trace";
}

std::string times_header(std::string_view side) {
  return std::string(side) + " Total / Avg / Max / Min / Ratio(%)";
}

std::string thread_title(std::string_view thread) {
  return "Thread: " + std::string(thread.empty() ? "All threads merged" : thread);
}

std::string_view without_parameters(std::string_view name) {
  const std::size_t open = name.find('<', 1);
  const std::size_t last_close = name.rfind(')');
  if (open == std::string_view::npos || last_close == std::string_view::npos) return name;
  for (std::size_t i = name.size(); i-- > open + 1;) {
    if (name[i] == '>' && i + 1 < name.size() && name[i + 1] == '(' && last_close >= i + 2) {
      return name.substr(0, i + 1);
    }
  }
  return name;
}

}  // namespace strobe::paddle
