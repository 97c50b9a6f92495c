#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "strobe/base/json_value.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/dialect.h"

// PyTorch's profiler library, from 2021's capitalised categories to today's, and what the vendors'
// back ends made of it.
namespace strobe::readers {
namespace {

using Kind = SliceKind;

struct CategoryEntry {
  std::string_view category;
  CategoryRule rule;
};

constexpr CategoryEntry kCategories[] = {
    {"cpu_op", {Kind::kOperator, true}},
    {"Operator", {Kind::kOperator, true}},
    {"user_annotation", {Kind::kAnnotation, true}},
    {"python_function", {Kind::kPythonCall, true}},
    {"PythonFunction", {Kind::kPythonCall, true}},
    {"Runtime", {Kind::kRuntimeCall, false}},
    {"runtime", {Kind::kRuntimeCall, false}},
    {"hpu_op", {Kind::kRuntimeCall, false}},
    {"Kernel", {Kind::kKernel, true}},
    {"kernel", {Kind::kKernel, true}},
    {"concurrent_kernel", {Kind::kKernel, true}},
    {"mtia_workloadd", {Kind::kKernel, true}},
    {"Memcpy", {Kind::kMemcpy, false}},
    {"Memset", {Kind::kMemset, false}},
    {"overhead", {Kind::kOverhead, false}},
    {"Overhead", {Kind::kOverhead, false}},
    {"Trace", {Kind::kProfiler, false}},
};

// Every back end names its own (cuda_runtime, xpu_driver, mlu_memcpy, privateuse1_kernel, ...): the
// ending decides.
constexpr CategoryEntry kEndings[] = {
    {"_user_annotation", {Kind::kDeviceAnnotation, false}},
    {"_runtime", {Kind::kRuntimeCall, false}},
    {"_driver", {Kind::kRuntimeCall, false}},
    {"_kernel", {Kind::kKernel, true}},
    {"_memcpy", {Kind::kMemcpy, false}},
    {"_memset", {Kind::kMemset, false}},
    {"_sync", {Kind::kSync, false}},
};

CategoryRule category_rule(std::string_view category) {
  for (const CategoryEntry& entry : kCategories) {
    if (category == entry.category) return entry.rule;
  }
  for (const CategoryEntry& entry : kEndings) {
    if (category.ends_with(entry.category)) return entry.rule;
  }
  return {};
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Ranges the framework opens under fixed names. In 2021 they came with the category of operators.
Kind range_kind(std::string_view name, Kind otherwise) {
  if (name.starts_with("ProfilerStep#")) return Kind::kStep;
  if (name.starts_with("enumerate(DataLoader)#")) return Kind::kDataLoader;
  if (name.starts_with("Optimizer.step#")) return Kind::kOptimizer;
  if (name.starts_with("Optimizer.zero_grad#")) return Kind::kAnnotation;
  return otherwise;
}

NameRule name_rule(Kind kind, std::string_view, std::string_view name) {
  switch (kind) {
    case Kind::kAnnotation: {
      if (starts_with_any(name, {"nccl:", "gloo:", "mpi:", "ucc:", "hccl:", "xccl:", "cncl:"})) {
        return {Kind::kCommunication, kCommunicates};
      }
      return {range_kind(name, name.ends_with(".forward") ? Kind::kForward : Kind::kAnnotation),
              kNoFlags};
    }
    case Kind::kOperator: {
      const Kind found = range_kind(name, Kind::kOperator);
      if (found != Kind::kOperator) return {found, kNoFlags};
      if (name.starts_with("autograd::engine::evaluate_function: ")) return {found, kBackwardWork};
      // aten::broadcast_to and its like move no bytes between devices.
      const bool communicates =
          name == "record_param_comms" || name.starts_with("c10d::") ||
          (!name.starts_with("aten::") && device::is_collective_operator(name));
      return {found, communicates ? kCommunicates : kNoFlags};
    }
    case Kind::kPythonCall:
      if (name.starts_with("nn.Module: ")) return {Kind::kForward, kModule};
      return {Kind::kPythonCall, kNoFlags};
    case Kind::kKernel:
      return {kind, device::is_any_collective(name) ? kCommunicates : kNoFlags};
    default:
      return {kind, kNoFlags};
  }
}

bool recognises(const TraceHead& head) {
  constexpr std::string_view kMembers[] = {"traceName", "baseTimeNanoseconds", "distributedInfo",
                                           "trace_id"};
  for (const auto& [key, value] : head.members) {
    if (std::find(std::begin(kMembers), std::end(kMembers), key) != std::end(kMembers)) return true;
    if (key == "schemaVersion" && !value.starts_with('"')) return true;
  }
  for (const std::string& category : head.categories) {
    if (category == "Trace" || category_rule(category).kind == Kind::kOther) continue;
    // Words anybody might use count only beside an argument of this writer.
    const bool own = category.find('_') != std::string::npos;
    const auto& keys = head.argument_keys;
    if (own || std::find(keys.begin(), keys.end(), "External id") != keys.end() ||
        std::find(keys.begin(), keys.end(), "correlation") != keys.end()) {
      return true;
    }
  }
  return false;
}

bool memory_event(std::string_view, std::string_view name, std::string_view args,
                  MemoryEvent& event) {
  if (name != "[memory]") return false;
  std::int64_t device_type = 0;
  std::int64_t device = 0;
  bool has_bytes = false;
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    if (key == "Addr") {
      event.address = static_cast<std::uint64_t>(value.as_int64().value_or(0));
      return;
    }
    const auto number = value.as_int64();
    if (!number) return;
    if (key == "Bytes") {
      event.bytes = *number;
      has_bytes = true;
    } else if (key == "Device Type") {
      device_type = *number;
    } else if (key == "Device Id") {
      device = *number;
    } else if (key == "Total Allocated") {
      event.allocated_bytes = *number;
    } else if (key == "Total Reserved") {
      event.reserved_bytes = *number;
    }
  });
  if (!has_bytes) return false;
  event.action = event.bytes < 0 ? MemoryAction::kFree : MemoryAction::kAllocate;
  event.place = device_type == 0
                    ? "Place(cpu)"
                    : "Place(gpu:" + std::to_string(std::max<std::int64_t>(device, 0)) + ")";
  return true;
}

// The file carries totals, not peaks: the running maximum of each place, in time order.
void fill_peaks(MemoryVectors& memory) {
  std::vector<std::uint32_t> order(memory.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return memory.times_ns[a] < memory.times_ns[b];
  });
  std::map<StringId, std::pair<std::int64_t, std::int64_t>> peaks;
  for (const std::uint32_t row : order) {
    auto& [allocated, reserved] = peaks.try_emplace(memory.places[row], -1, -1).first->second;
    allocated = std::max(allocated, memory.allocated_bytes[row]);
    reserved = std::max(reserved, memory.reserved_bytes[row]);
    memory.peak_allocated_bytes[row] = allocated;
    memory.peak_reserved_bytes[row] = reserved;
  }
}

struct Vendor {
  std::string_view prefix;  // of its categories
  std::string_view runtime_label;
  std::string_view device_label;
};

constexpr Vendor kVendors[] = {
    {"xpu_", "XpuRuntime", "XPU"}, {"mtia_", "MtiaRuntime", "MTIA"},
    {"mlu_", "MluRuntime", "MLU"}, {"musa_", "MusaRuntime", "GPU"},
    {"hpu_", "HpuRuntime", "HPU"}, {"privateuse1_", "PrivateUse1Runtime", "Device"},
};

// The devices' own name tells an MLU behind the anonymous back end.
bool has_device_named(const Metadata& metadata, std::string_view prefix) {
  return std::any_of(
      metadata.devices.begin(), metadata.devices.end(),
      [&](const DeviceProperties& device) { return device.name.starts_with(prefix); });
}

void finish(TraceBuilder& builder, const FileOrder&, ImportReport&) {
  fill_peaks(builder.memory());
  TraceTraits& traits = builder.metadata().traits;
  for (const Category& category : builder.categories()) {
    const std::string_view name = builder.strings()[category.name];
    for (const Vendor& vendor : kVendors) {
      if (!name.starts_with(vendor.prefix)) continue;
      traits.runtime_label = vendor.runtime_label;
      traits.device_label = vendor.device_label;
    }
  }
  if (has_device_named(builder.metadata(), "MLU")) {
    traits.runtime_label = "MluRuntime";
    traits.device_label = "MLU";
  }
}

}  // namespace

const Dialect kKinetoDialect = {
    .name = "kineto",
    .traits = {.dialect = "kineto",
               .runtime_label = "CudaRuntime",
               .nested_operators_are_phases = true,
               .steps_cover_all_threads = true,
               .uses_vendor_collectives = true},
    .recognises = recognises,
    .category_rule = category_rule,
    .name_rule = name_rule,
    .memory_event = memory_event,
    .finish = finish,
};

}  // namespace strobe::readers
