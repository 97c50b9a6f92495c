#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "strobe/tensorboard/views.h"

// The words of the four plugins, as data, so that the rules themselves are written once.
namespace strobe::tensorboard {

// Categories of X events that some variant knows, by their lower-cased name.
enum class Category : std::uint8_t {
  kOther,
  kTrace,
  kCpuOp,
  kOperator,
  kRuntime,
  kCudaRuntime,
  kMtiaRuntime,
  kGlowRuntime,
  kXpuRuntime,
  kPrivateUse1Runtime,
  kMluRuntime,
  kCudaDriver,
  kKernel,
  kMemcpy,
  kGpuMemcpy,
  kMluMemcpy,
  kMemset,
  kGpuMemset,
  kMluMemset,
  kPython,
  kPythonFunction,
  kUserAnnotation,
  kGpuUserAnnotation,
  kMluUserAnnotation,
  kMemory,  // not a category: an instant named [memory]
};

enum class EventType : std::uint8_t {
  kNone,  // not used
  kTrace,
  kOperator,
  kRuntime,
  kKernel,
  kMemcpy,
  kMemset,
  kPython,
  kPythonFunction,
  kModule,
  kProfilerStep,
  kUserAnnotation,
  kMemory,
  kLightningProfile,
  kLightningModule,
  kBackward,  // made by the plugin, in no file
};

std::string_view type_name(EventType type);      // as the `tree` view writes it
Category category_of(std::string_view lowered);  // kOther if no variant knows it
bool is_device_annotation(Category category);    // the device-side copy of a user's range
inline bool is_device_work(EventType type) {
  return type == EventType::kKernel || type == EventType::kMemcpy || type == EventType::kMemset;
}

// The type of an X event of this category for a variant other than kByContent; names and arguments
// may change it further (event_types.h).
EventType type_of(Category category, const ProfileOptions& options);

enum class CommLibrary : std::uint8_t { kNone, kNccl, kCncl, kGloo };
// For an operator whose name is exactly like `nccl:all_reduce`; kNone for all others.
CommLibrary comm_library(std::string_view name, Variant variant);

bool is_data_loader(std::string_view name);
bool is_optimizer(std::string_view name);
inline bool is_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

// The name of a profile's devices in answers.
enum class DeviceKind : std::uint8_t { kNone, kGpu, kMlu };
std::string_view device_word(DeviceKind kind);  // "GPU", "MLU", "Device"

// How a variant detects the devices of a trace.
enum class KindRule : std::uint8_t {
  kAlwaysGpu,
  kAlwaysMlu,
  kByName,        // of the first device described; none if none is described
  kByProperties,  // an empty list means MLU, a missing list none
};

// What a table of kernels shows about their launches.
enum class LaunchLayout : std::uint8_t { kGrid, kDimAndType, kTaskXyz, kTaskDim };

// The name of a device type in memory events (PyTorch's number), before its id.
struct MemoryDeviceType {
  std::int64_t type = 0;
  std::string_view word;
};

// Where the rules of a variant differ; one row per variant.
struct VariantRules {
  Variant variant = Variant::kGpu;
  std::string_view metrics_key;  // of `overview`
  KindRule kind_rule = KindRule::kAlwaysGpu;
  bool has_tensor_cores = true;     // otherwise no kernel uses them and no operator could
  bool copies_communicate = false;  // device copies of a communication call are communication too
  bool annotations_are_host_work = false;  // user_annotation counts for the host range
  bool nested_calls_count_once = false;    // in an operator's own time on the host
  bool repairs_gpu_links = false;          // runtime calls get the ids of the ranges around them
  bool mlu_summary_is_short = false;       // for an MLU it only has utilization
  std::string_view tensor_core_time_note = "";  // after the explanations of these
  std::string_view tensor_cores_used_note = "";
  LaunchLayout mlu_launches = LaunchLayout::kGrid;  // for GPUs it is always kGrid
  bool appends_counters = false;                    // after the events of `trace`, not before
  bool backward_starts_empty = false;               // backward nodes have no times of their module
  bool drops_childless_backward = false;            // those without a link back
  std::span<const MemoryDeviceType> memory_device_types = {};  // besides the CPU
  std::size_t most_curve_points = 10240;  // of `memory_curve` per device; 0: all
  bool truncates_averages = true;         // of the distributed views, to whole microseconds
  bool knows_small_types = true;          // sizes of c10::BFloat16 and unsigned char
  bool reads_global_memory = true;        // a device's memory in bytes, `totalGlobalMem`
  bool reads_mib = false;                 // otherwise in MiB, `totalMem(MiB)`
  bool lists_kernels_in_diff = false;     // with every operator, its kernels' names and calls
};
const VariantRules& rules_of(Variant variant);

}  // namespace strobe::tensorboard
