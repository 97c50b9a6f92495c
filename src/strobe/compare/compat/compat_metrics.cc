#include "strobe/compare/compat/compat_metrics.h"

#include <string>

namespace strobe::compare {
namespace {

constexpr double kHundredfold = 100;

constexpr CompatMetric kOfKernels[] = {
    {"process_gpu_usage"},
    {"gpu_usage"},
    {"gpu_frequency", kHundredfold},
    {"gpu_sm_frequency", kHundredfold},
    {"gpu_mem_frequency", kHundredfold},
    {"gpu_mem_used"},
    {"gpu_sm_util"},
    {"gpu_sm_occupancy"},
    {"gpu_link_receive", kHundredfold},
    {"gpu_link_transmit", kHundredfold},
};
constexpr CompatMetric kOfHostCopies[] = {
    {"gpu_pcie_receive", kHundredfold},
    {"gpu_pcie_transmit", kHundredfold},
};
constexpr CompatMetric kOfDeviceCopies[] = {
    {"gpu_link_receive", kHundredfold},
    {"gpu_link_transmit", kHundredfold},
};
constexpr CompatMetric kOfRunning[] = {
    {"process_cpu_usage"}, {"host_cpu_usage"}, {"cpu_frequency"}};  // of the full clock, percent
constexpr CompatMetric kOfWaiting[] = {{"process_cpu_usage"}, {"host_cpu_usage"}};
constexpr CompatMetric kOfInputOutput[] = {{"disk_usage"}};

bool has(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

}  // namespace

std::span<const CompatMetric> compat_metrics(const FunctionKey& function) {
  switch (function.kind) {
    case FunctionKind::kKernel:
    case FunctionKind::kCollective:
      return kOfKernels;
    case FunctionKind::kMemset:
      return kOfHostCopies;
    case FunctionKind::kMemcpy:
      if (has(function.name, "HtoD") || has(function.name, "DtoH")) return kOfHostCopies;
      if (has(function.name, "DtoD") || has(function.name, "PtoP")) return kOfDeviceCopies;
      return {};
    case FunctionKind::kScheduling:
      if (function.name == "oncpu") return kOfRunning;
      if (function.name == "runq") return kOfWaiting;
      return {};
    case FunctionKind::kInputOutput:
      if (function.name == "read" || function.name == "write") return kOfInputOutput;
      return {};
    case FunctionKind::kHostOperator:
    case FunctionKind::kRuntimeCall:
    case FunctionKind::kOverhead:
      return {};
  }
  return {};
}

}  // namespace strobe::compare
