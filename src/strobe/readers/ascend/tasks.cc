#include "strobe/readers/ascend/tasks.h"

#include <algorithm>
#include <iterator>

#include "strobe/device/vendor_names.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kKernelTypes[] = {"AI_CORE", "AI_VECTOR_CORE", "AI_CPU",
                                             "MIX_AIC", "MIX_AIV",        "DSA_SQE"};

// The rest of what is known: copies, waits, records, and the parts of a collective.
constexpr std::string_view kOtherTypes[] = {
    "PCIE_DMA_SQE",     "SDMA_SQE",          "MEMCPY_ASYNC",
    "EVENT_RECORD_SQE", "EVENT_WAIT_SQE",    "EVENT_RECORD",
    "EVENT_WAIT",       "NOTIFY_RECORD_SQE", "NOTIFY_WAIT_SQE",
    "PLACE_HOLDER_SQE", "WRITE_VALUE_SQE",   "STARS_COMMON",
    "PROFILING_ENABLE", "Notify Wait",       "SDMA",
    "Write Value",      "PROFILING_DISABLE", "KERNEL_AICORE",
    "KERNEL_AIVEC",     "KERNEL_AICPU",      "KERNEL_MIX_AIC",
    "KERNEL_MIX_AIV",   "FFTS_PLUS",         "MODEL_EXECUTE",
};

constexpr std::string_view kLayers[] = {kProgramLayer, "model",         "node",
                                        "hccl",        "communication", "runtime"};

constexpr std::string_view kCopyTask = "MEMCPY_ASYNC";

constexpr CategoryRow kHostCategories[] = {
    {"cpu_op", {SliceKind::kOperator, true}},
    {"op", {SliceKind::kOperator, true}},
    {"user_annotation", {SliceKind::kAnnotation, true}},
    {"mstx", {SliceKind::kAnnotation, true}},
    {"msproftx", {SliceKind::kAnnotation, true}},
    {"python_function", {SliceKind::kPythonCall, true}},
    {"trace", {SliceKind::kPythonCall, true}},
    {"queue", {SliceKind::kDynamicLaunch, false}},
    {kQueueing, {SliceKind::kDynamicLaunch, false}},
    {kUnqueueing, {SliceKind::kDynamicLaunch, false}},
};

std::string_view known(std::string_view word, std::string_view otherwise, const auto& list) {
  const auto found = std::ranges::find(list, word);
  return found == std::end(list) ? otherwise : *found;
}

}  // namespace

// A task that only stands for others (the parent of a kernel on two cores, or of a collective's
// parts) has one of the kernel's types too in databases: those know their kernels otherwise.
NameRule npu_task_rule(std::string_view name, std::string_view type) {
  if (name == kCopyTask) return {SliceKind::kMemcpy, kNoFlags};
  if (std::ranges::find(kKernelTypes, type) != std::end(kKernelTypes)) return npu_kernel_rule(name);
  return {SliceKind::kDeviceAnnotation, kNoFlags};
}

std::string_view npu_task_category(std::string_view type) {
  const std::string_view kernel = known(type, {}, kKernelTypes);
  return kernel.empty() ? known(type, "task", kOtherTypes) : kernel;
}

NameRule npu_kernel_rule(std::string_view name) {
  return {SliceKind::kKernel,
          static_cast<std::uint8_t>(device::is_any_collective(name) ? kCommunicates : kNoFlags)};
}

std::string_view npu_call_layer(std::string_view layer) { return known(layer, {}, kLayers); }

CategoryRule npu_host_rule(std::string_view category) {
  for (const CategoryRow& row : kHostCategories) {
    if (category == row.category) return row.rule;
  }
  return {};
}

NameRule npu_host_name_rule(SliceKind kind, std::string_view category, std::string_view name) {
  return kKinetoDialect.name_rule(kind, category, name);
}

TraceTraits npu_traits() {
  return {.dialect = "ascend",
          .runtime_label = "AscendCL",
          .device_label = "NPU",
          .nested_operators_are_phases = true,
          .steps_cover_all_threads = true};
}

}  // namespace strobe::readers
