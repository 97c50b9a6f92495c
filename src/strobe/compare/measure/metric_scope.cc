#include "strobe/compare/measure/metric_scope.h"

#include <algorithm>

namespace strobe::compare {
namespace {

// Copies are named after their ends; those without the host are few and known.
bool stays_on_devices(const std::string& copy) {
  constexpr std::string_view kEnds[] = {"DtoD", "PtoP", "D2D", "P2P"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view ends) { return copy.find(ends) != std::string::npos; });
}

bool is_kernel(FunctionKind kind) {
  return kind == FunctionKind::kKernel || kind == FunctionKind::kCollective;
}

}  // namespace

bool is_in_scope(device::MetricScope scope, const FunctionKey& function) {
  const FunctionKind kind = function.kind;
  const bool is_copy = kind == FunctionKind::kMemcpy;
  switch (scope) {
    case device::MetricScope::kKernels:
      return is_kernel(kind);
    case device::MetricScope::kHostCopies:
      return kind == FunctionKind::kMemset || (is_copy && !stays_on_devices(function.name));
    // Links between devices are kept busy by kernels as well: collectives, reads of a peer.
    case device::MetricScope::kDeviceCopies:
      return is_kernel(kind) || (is_copy && stays_on_devices(function.name));
    case device::MetricScope::kHost:
      return kind == FunctionKind::kHostOperator || kind == FunctionKind::kRuntimeCall ||
             kind == FunctionKind::kScheduling;
    case device::MetricScope::kHostIo:
      return kind == FunctionKind::kInputOutput;
  }
  return false;
}

}  // namespace strobe::compare
