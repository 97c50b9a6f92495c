#pragma once

#include <cstdint>
#include <string_view>

#include "strobe/tensorboard/views.h"

// What the four plugins call things: data, so that the rules themselves are written once.
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
  kNone,  // of no interest
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
Category category_of(std::string_view lowered);  // kOther if nobody knows it
bool is_device_annotation(Category category);    // the device-side copy of a user's range
inline bool is_device_work(EventType type) {
  return type == EventType::kKernel || type == EventType::kMemcpy || type == EventType::kMemset;
}

// The type of an X event of this category for a variant other than kByContent; names and arguments
// may change it further (events.h).
EventType type_of(Category category, const ProfileOptions& options);

enum class CommLibrary : std::uint8_t { kNone, kNccl, kCncl, kGloo };
// Of an operator with exactly a name like `nccl:all_reduce`; kNone for all others.
CommLibrary comm_library(std::string_view name, Variant variant);

bool is_data_loader(std::string_view name);
bool is_optimizer(std::string_view name);
inline bool is_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

// What the answers call the devices of a profile.
enum class DeviceKind : std::uint8_t { kNone, kGpu, kMlu };
std::string_view device_word(DeviceKind kind);  // "GPU", "MLU", "Device"

// Where the rules of a variant differ; one row per variant.
struct VariantRules {
  Variant variant = Variant::kGpu;
  std::string_view metrics_key;     // of `overview`
  bool has_tensor_cores = true;     // else no kernel uses them and no operator could
  bool copies_communicate = false;  // device copies of a communication call are communication too
  bool annotations_are_host_work = false;  // user_annotation counts for the host range
};
const VariantRules& rules_of(Variant variant);

}  // namespace strobe::tensorboard
