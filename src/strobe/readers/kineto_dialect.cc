#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/classify.h"
#include "strobe/readers/dialect.h"
#include "strobe/readers/microsecond_nesting.h"

// PyTorch's profiler library, from 2021's capitalised categories to today's, including the vendors'
// back ends.
namespace strobe::readers {
namespace {

// What stands on the queues of an MTIA has one category: kernels, copies and waits, told apart by
// their arguments. Their own categories are these, and "mtia_kernel" and "mtia_memcpy".
constexpr std::string_view kQueueCategory = "mtia_ccp_events";
constexpr std::string_view kQueueCopyIn = "mtia_HtoD_memcpy";
constexpr std::string_view kQueueCopyOut = "mtia_DtoH_memcpy";

std::string_view copy_category(std::string_view args) {
  const std::string_view direction = find(args, "direction").text;
  if (direction == "HOST_TO_DEVICE") return kQueueCopyIn;
  return direction == "DEVICE_TO_HOST" ? kQueueCopyOut : "mtia_memcpy";
}

// A kernel says where in the grid of cores it runs. A wait or a record is no work, nor is what
// says nothing.
std::string_view kineto_category_by_args(const RawEvent& event) {
  if (event.name.text == "dma_request") return copy_category(event.args);
  if (event.name.text.starts_with("event_")) return kQueueCategory;
  const bool has_core = find(event.args, "row").present() && find(event.args, "column").present();
  return has_core ? "mtia_kernel" : kQueueCategory;
}

constexpr CategoryRow kKinetoCategories[] = {
    {"cpu_op", {SliceKind::kOperator, true}},
    {"Operator", {SliceKind::kOperator, true}},
    {"user_annotation", {SliceKind::kAnnotation, true}},
    {"python_function", {SliceKind::kPythonCall, true}},
    {"PythonFunction", {SliceKind::kPythonCall, true}},
    {"Runtime", {SliceKind::kRuntimeCall, false}},
    {"runtime", {SliceKind::kRuntimeCall, false}},
    {"hpu_op", {SliceKind::kRuntimeCall, false}},
    {"Kernel", {SliceKind::kKernel, true}},
    {"kernel", {SliceKind::kKernel, true}},
    {"concurrent_kernel", {SliceKind::kKernel, true}},
    {"mtia_workloadd", {SliceKind::kKernel, true}},
    {kQueueCategory, {SliceKind::kDeviceAnnotation, false, true}},
    {kQueueCopyIn, {SliceKind::kMemcpy, false}},
    {kQueueCopyOut, {SliceKind::kMemcpy, false}},
    {"Memcpy", {SliceKind::kMemcpy, false}},
    {"Memset", {SliceKind::kMemset, false}},
    {"overhead", {SliceKind::kOverhead, false}},
    {"Overhead", {SliceKind::kOverhead, false}},
    {"condition", {SliceKind::kCondition, false}},
    {"Trace", {SliceKind::kProfiler, false}},
    {"condition", {SliceKind::kCondition, false}},  // a converted recording of strobe's own
};

// Every back end has its own prefix (cuda_runtime, xpu_driver, mlu_memcpy, privateuse1_kernel,
// ...): the suffix decides.
constexpr CategoryRow kEndings[] = {
    {"_user_annotation", {SliceKind::kDeviceAnnotation, false}},
    {"_runtime", {SliceKind::kRuntimeCall, false}},
    {"_driver", {SliceKind::kRuntimeCall, false}},
    {"_kernel", {SliceKind::kKernel, true}},
    {"_memcpy", {SliceKind::kMemcpy, false}},
    {"_memset", {SliceKind::kMemset, false}},
    {"_sync", {SliceKind::kSync, false}},
};

CategoryRule kineto_category_rule(std::string_view category) {
  for (const CategoryRow& entry : kKinetoCategories) {
    if (category == entry.category) return entry.rule;
  }
  for (const CategoryRow& entry : kEndings) {
    if (category.ends_with(entry.category)) return entry.rule;
  }
  return {};
}

// How ranges of the model's phases are named: by the framework, by libraries on top of it, by
// scripts.
enum class Match : std::uint8_t {
  kStart,
  kEnd,
  kWord,  // the whole name, without punctuation and blanks, in lower case
};
struct RangeName {
  Match match;
  std::string_view text;
  SliceKind kind;
};
constexpr RangeName kRangeNames[] = {
    {Match::kStart, "ProfilerStep#", SliceKind::kStep},
    {Match::kStart, "Optimizer.step#", SliceKind::kOptimizer},
    {Match::kStart, "Optimizer.zero_grad#", SliceKind::kAnnotation},
    {Match::kStart, "enumerate(DataLoader)#", SliceKind::kDataLoader},
    {Match::kStart, "enumerate(DataPipe)#", SliceKind::kDataLoader},
    // Lightning: "[pl][profile][_TrainingEpochLoop].train_dataloader_next".
    {Match::kEnd, "dataloader_next", SliceKind::kDataLoader},
    {Match::kEnd, "Loop].train_next", SliceKind::kDataLoader},
    {Match::kEnd, "Loop].val_next", SliceKind::kDataLoader},
    {Match::kEnd, "Loop].test_next", SliceKind::kDataLoader},
    {Match::kEnd, "Loop].predict_next", SliceKind::kDataLoader},
    // TorchTNT: "train.next(data_iter)".
    {Match::kEnd, ".next(data_iter)", SliceKind::kDataLoader},
    // TorchRec: "## load_batch ##", "## next_batch ##"; the others are common in scripts.
    {Match::kWord, "loadbatch", SliceKind::kDataLoader},
    {Match::kWord, "nextbatch", SliceKind::kDataLoader},
    {Match::kWord, "getbatch", SliceKind::kDataLoader},
    {Match::kWord, "fetchbatch", SliceKind::kDataLoader},
    {Match::kWord, "dataloader", SliceKind::kDataLoader},
    {Match::kWord, "dataloading", SliceKind::kDataLoader},
    {Match::kWord, "dataload", SliceKind::kDataLoader},
    {Match::kWord, "datafetch", SliceKind::kDataLoader},
    {Match::kWord, "loaddata", SliceKind::kDataLoader},
    {Match::kEnd, ".forward", SliceKind::kForward},
    {Match::kWord, "forward", SliceKind::kForward},
    {Match::kEnd, ".backward", SliceKind::kBackward},
    {Match::kWord, "backward", SliceKind::kBackward},
    // No endings: an optimizer step of Lightning has forward and backward in it.
    {Match::kWord, "optimizer", SliceKind::kOptimizer},
    {Match::kWord, "optimizerstep", SliceKind::kOptimizer},
};

std::string as_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (is_letter_or_digit(c)) word += lower(c);
  }
  return word;
}

// In 2021 ranges had the category of operators.
SliceKind range_kind(std::string_view name, SliceKind otherwise) {
  const std::string word = as_word(name);
  const auto is_meant = [&](const RangeName& range) {
    switch (range.match) {
      case Match::kStart:
        return name.starts_with(range.text);
      case Match::kEnd:
        return name.ends_with(range.text);
      case Match::kWord:
        return word == range.text;
    }
    return false;
  };
  const auto found = std::ranges::find_if(kRangeNames, is_meant);
  return found == std::end(kRangeNames) ? otherwise : found->kind;
}

// A node of the autograd graph that is run: "AddmmBackward0", "AddmmBackward" before 2022,
// "torch::autograd::AccumulateGrad". Since 2021 the engine opens a range of its own around each.
bool is_backward_work(std::string_view name) {
  for (const std::string_view word : {"struct ", "class "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  if (name.starts_with("torch::autograd::")) return true;
  if (name.find("::") != std::string_view::npos) return false;
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name.ends_with("Backward");
}

NameRule kineto_name_rule(SliceKind kind, std::string_view, std::string_view name) {
  switch (kind) {
    case SliceKind::kAnnotation: {
      if (device::is_library_range(name)) return {SliceKind::kCommunication, kCommunicates};
      return {range_kind(name, SliceKind::kAnnotation), kNoFlags};
    }
    case SliceKind::kOperator: {
      const SliceKind found = range_kind(name, SliceKind::kOperator);
      if (found != SliceKind::kOperator) return {found, kNoFlags};
      if (name.starts_with("autograd::engine::")) return {found, kBackwardWork};
      return {found, static_cast<std::uint8_t>(
                         (device::is_collective_call(name) ? kCommunicates : kNoFlags) |
                         (is_backward_work(name) ? kBackwardWork : kNoFlags))};
    }
    case SliceKind::kPythonCall:
      if (name.starts_with("nn.Module: ")) return {SliceKind::kForward, kModule};
      return {SliceKind::kPythonCall, kNoFlags};
    case SliceKind::kKernel:
      return {kind, device::is_any_collective(name) ? kCommunicates : kNoFlags};
    default:
      return {kind, kNoFlags};
  }
}

bool is_kineto_head(const TraceHead& head) {
  constexpr std::string_view kMembers[] = {"traceName", "baseTimeNanoseconds", "distributedInfo",
                                           "trace_id"};
  for (const auto& [key, value] : head.members) {
    if (std::find(std::begin(kMembers), std::end(kMembers), key) != std::end(kMembers)) return true;
    if (key == "schemaVersion" && !value.starts_with('"')) return true;
  }
  for (const std::string& category : head.categories) {
    if (category == "Trace" || kineto_category_rule(category).kind == SliceKind::kOther) continue;
    // Common words count only together with an argument of this writer.
    const bool own = category.find('_') != std::string::npos;
    const auto& keys = head.argument_keys;
    if (own || std::find(keys.begin(), keys.end(), "External id") != keys.end() ||
        std::find(keys.begin(), keys.end(), "correlation") != keys.end()) {
      return true;
    }
  }
  return false;
}

bool kineto_memory_event(std::string_view, std::string_view name, std::string_view args,
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

// The file has totals, not peaks: computes the running maximum of each place, in time order.
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

// The name of the devices reveals an MLU behind the generic back end.
bool has_device_named(const Metadata& metadata, std::string_view prefix) {
  return std::any_of(
      metadata.devices.begin(), metadata.devices.end(),
      [&](const DeviceProperties& device) { return device.name.starts_with(prefix); });
}

// ROCm numbers the devices of the whole machine in events, and those that the process may see in
// the list. A device that is not listed is like the listed ones if those are all alike.
void list_used_devices(TraceBuilder& builder) {
  std::vector<DeviceProperties>& listed = builder.metadata().devices;
  if (listed.empty()) return;
  const DeviceProperties common = listed.front();
  if (std::ranges::any_of(listed, [&](const auto& one) { return one.name != common.name; })) return;
  for (const Track& track : builder.tracks()) {
    if (!track.device ||
        std::ranges::find(listed, *track.device, &DeviceProperties::id) != listed.end()) {
      continue;
    }
    listed.push_back(common);
    listed.back().id = *track.device;
  }
}

// The name of a copy says where it leads, as with other devices.
void name_queue_copies(TraceBuilder& builder) {
  SliceVectors& slices = builder.slices();
  const auto name_all = [&](std::string_view category, std::string_view ends) {
    const auto& categories = builder.categories();
    const auto found = std::ranges::find_if(
        categories, [&](const Category& one) { return builder.strings()[one.name] == category; });
    if (found == categories.end()) return;
    const CategoryId id(static_cast<std::size_t>(found - categories.begin()));
    const StringId name = builder.intern("dma_request " + std::string(ends));
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (slices.categories[row] == id) slices.names[row] = name;
    }
  };
  name_all(kQueueCopyIn, "HtoD");
  name_all(kQueueCopyOut, "DtoH");
}

void finish_kineto(TraceBuilder& builder, const FileOrder&, ImportReport&) {
  fill_peaks(builder.memory());
  name_queue_copies(builder);
  list_used_devices(builder);
  demangle_kernels(builder);
  hint_nesting_of_microseconds(builder);
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
    .traits = {.dialect = "kineto",
               .runtime_label = "CudaRuntime",
               .nested_operators_are_phases = true,
               .steps_cover_all_threads = true},
    .recognises = is_kineto_head,
    .category_rule = kineto_category_rule,
    .name_rule = kineto_name_rule,
    .memory_event = kineto_memory_event,
    .category_by_args = kineto_category_by_args,
    .zero_is_no_time = true,
    .finish = finish_kineto,
};

}  // namespace strobe::readers
