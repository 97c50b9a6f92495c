#include "strobe/tensorboard/variant.h"

#include <algorithm>
#include <array>
#include <utility>

#include "strobe/tensorboard/words.h"

namespace strobe::tensorboard {
namespace {

constexpr std::pair<std::string_view, Category> kCategories[] = {
    {"trace", Category::kTrace},
    {"cpu_op", Category::kCpuOp},
    {"operator", Category::kOperator},
    {"runtime", Category::kRuntime},
    {"cuda_runtime", Category::kCudaRuntime},
    {"mtia_runtime", Category::kMtiaRuntime},
    {"glow_runtime", Category::kGlowRuntime},
    {"xpu_runtime", Category::kXpuRuntime},
    {"privateuse1_runtime", Category::kPrivateUse1Runtime},
    {"mlu_runtime", Category::kMluRuntime},
    {"cuda_driver", Category::kCudaDriver},
    {"kernel", Category::kKernel},
    {"memcpy", Category::kMemcpy},
    {"gpu_memcpy", Category::kGpuMemcpy},
    {"mlu_memcpy", Category::kMluMemcpy},
    {"memset", Category::kMemset},
    {"gpu_memset", Category::kGpuMemset},
    {"mlu_memset", Category::kMluMemset},
    {"python", Category::kPython},
    {"python_function", Category::kPythonFunction},
    {"user_annotation", Category::kUserAnnotation},
    {"gpu_user_annotation", Category::kGpuUserAnnotation},
    {"mlu_user_annotation", Category::kMluUserAnnotation},
};

constexpr MemoryDeviceType kCudaMemory[] = {{1, "GPU"}};
constexpr MemoryDeviceType kMluMemory[] = {{20, "MLU"}};
constexpr MemoryDeviceType kBothMemories[] = {{1, "GPU"}, {20, "MLU"}};

constexpr std::array<VariantRules, 4> kRules = {{
    {.variant = Variant::kGpu, .metrics_key = "gpu_metrics", .memory_device_types = kCudaMemory},
    {.variant = Variant::kMluA,
     .metrics_key = "mlu_metrics",
     .kind_rule = KindRule::kAlwaysMlu,
     .has_tensor_cores = false,
     .copies_communicate = true,
     .annotations_are_host_work = true,
     .nested_calls_count_once = true,
     .tensor_core_time_note = words::kNoTensorCoreTime,
     .tensor_cores_used_note = words::kNoTensorCores,
     .mlu_launches = LaunchLayout::kDimAndType,
     .appends_counters = true,
     .backward_starts_empty = true,
     .memory_device_types = kMluMemory,
     .most_curve_points = 0,
     .truncates_averages = false,
     .knows_small_types = false,
     .reads_global_memory = false,
     .reads_mib = true},
    {.variant = Variant::kMluB,
     .metrics_key = "gpu_metrics",
     .kind_rule = KindRule::kByName,
     .copies_communicate = true,
     .annotations_are_host_work = true,
     .nested_calls_count_once = true,
     .repairs_gpu_links = true,
     .mlu_summary_is_short = true,
     .mlu_launches = LaunchLayout::kTaskXyz,
     .appends_counters = true,
     .backward_starts_empty = true,
     .drops_childless_backward = true,
     .memory_device_types = kBothMemories,
     .reads_mib = true,
     .lists_kernels_in_diff = true},
    {.variant = Variant::kMluC,
     .metrics_key = "gpu_metrics",
     .kind_rule = KindRule::kByProperties,
     .copies_communicate = true,
     .annotations_are_host_work = true,
     .nested_calls_count_once = true,
     .mlu_summary_is_short = true,
     .mlu_launches = LaunchLayout::kTaskDim,
     .appends_counters = true,
     .backward_starts_empty = true,
     .drops_childless_backward = true,
     .memory_device_types = kBothMemories,
     .reads_mib = true,
     .lists_kernels_in_diff = true},
}};

EventType runtime_if(bool is_known) { return is_known ? EventType::kRuntime : EventType::kNone; }

}  // namespace

std::string_view type_name(EventType type) {
  switch (type) {
    case EventType::kNone:
      return "";
    case EventType::kTrace:
      return "Trace";
    case EventType::kOperator:
      return "Operator";
    case EventType::kRuntime:
      return "Runtime";
    case EventType::kKernel:
      return "Kernel";
    case EventType::kMemcpy:
      return "Memcpy";
    case EventType::kMemset:
      return "Memset";
    case EventType::kPython:
      return "Python";
    case EventType::kPythonFunction:
      return "python_function";
    case EventType::kModule:
      return "Module";
    case EventType::kProfilerStep:
      return "ProfilerStep";
    case EventType::kUserAnnotation:
      return "user_annotation";
    case EventType::kMemory:
      return "Memory";
    case EventType::kLightningProfile:
      return "pl_profile";
    case EventType::kLightningModule:
      return "pl_module";
    case EventType::kBackward:
      return "backward";
  }
  return "";
}

Category category_of(std::string_view lowered) {
  const auto* const found =
      std::ranges::find(kCategories, lowered, [](const auto& entry) { return entry.first; });
  return found == std::end(kCategories) ? Category::kOther : found->second;
}

bool is_device_annotation(Category category) {
  return category == Category::kGpuUserAnnotation || category == Category::kMluUserAnnotation;
}

EventType type_of(Category category, const ProfileOptions& options) {
  const Variant variant = options.variant;
  const bool is_gpu = variant == Variant::kGpu;
  const bool is_mlu_b = variant == Variant::kMluB;
  switch (category) {
    case Category::kOther:
      return EventType::kNone;
    case Category::kTrace:
      return EventType::kTrace;
    case Category::kCpuOp:
    case Category::kOperator:
      return EventType::kOperator;
    case Category::kRuntime:
      return EventType::kRuntime;
    case Category::kCudaRuntime:
      return runtime_if(variant != Variant::kMluA);
    case Category::kMtiaRuntime:
    case Category::kGlowRuntime:
    case Category::kXpuRuntime:
      return runtime_if(is_gpu);
    case Category::kPrivateUse1Runtime:
      return runtime_if(!is_mlu_b);
    case Category::kMluRuntime:
      return runtime_if(is_mlu_b);
    case Category::kCudaDriver:
      return runtime_if(options.driver_launches);
    case Category::kKernel:
      return EventType::kKernel;
    case Category::kMemcpy:
    case Category::kGpuMemcpy:
      return EventType::kMemcpy;
    case Category::kMluMemcpy:
      return is_mlu_b ? EventType::kMemcpy : EventType::kNone;
    case Category::kMemset:
    case Category::kGpuMemset:
      return EventType::kMemset;
    case Category::kMluMemset:
      return is_mlu_b ? EventType::kMemset : EventType::kNone;
    case Category::kPython:
      return EventType::kPython;
    case Category::kPythonFunction:
      return EventType::kPythonFunction;
    case Category::kUserAnnotation:
    case Category::kGpuUserAnnotation:
      return EventType::kUserAnnotation;
    case Category::kMluUserAnnotation:
      return is_mlu_b ? EventType::kUserAnnotation : EventType::kNone;
    case Category::kMemory:
      return EventType::kMemory;
  }
  return EventType::kNone;
}

CommLibrary comm_library(std::string_view name, Variant variant) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return CommLibrary::kNone;
  constexpr std::string_view kCalls[] = {"broadcast", "reduce", "all_reduce", "all_gather",
                                         "reduce_scatter"};
  if (std::ranges::find(kCalls, name.substr(colon + 1)) == std::end(kCalls)) {
    return CommLibrary::kNone;
  }
  const std::string_view library = name.substr(0, colon);
  if (library == "gloo") return CommLibrary::kGloo;
  if (library == "nccl" && variant != Variant::kMluA) return CommLibrary::kNccl;
  if (library == "cncl" && variant != Variant::kGpu) return CommLibrary::kCncl;
  return CommLibrary::kNone;
}

bool is_data_loader(std::string_view name) {
  return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__")) ||
         name.starts_with("enumerate(DataPipe)#");
}

bool is_optimizer(std::string_view name) { return name.starts_with("Optimizer.step"); }

std::string_view device_word(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "GPU";
    case DeviceKind::kMlu:
      return "MLU";
    case DeviceKind::kNone:
      break;
  }
  return "Device";
}

const VariantRules& rules_of(Variant variant) {
  const auto* const found = std::ranges::find(kRules, variant, &VariantRules::variant);
  return found == kRules.end() ? kRules.front() : *found;
}

}  // namespace strobe::tensorboard
