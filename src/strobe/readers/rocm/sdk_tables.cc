#include "strobe/readers/rocm/sdk_tables.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"

namespace strobe::readers {
namespace {

std::uint64_t handle_in(const JsonValue& value) {
  return static_cast<std::uint64_t>(find(value.text, "handle").as_int64().value_or(0));
}

template <class Whole>
Whole whole_within(const JsonValue& value) {
  const std::int64_t number = value.as_int64().value_or(0);
  const bool fits = number >= 0 && number <= std::int64_t{std::numeric_limits<Whole>::max()};
  return fits ? static_cast<Whole>(number) : Whole{0};
}

// Each element of the array that comes next, as text.
template <class Function>
void for_each_entry(JsonStream& json, Function&& f) {
  if (!json.begin_array()) {
    json.skip();
    return;
  }
  while (json.next_element()) {
    std::string_view text;
    if (!json.take(text)) return;
    f(text);
  }
}

}  // namespace

void SdkAgents::read(JsonStream& json, WorkRows& rows) {
  for_each_entry(json, [&](std::string_view text) {
    std::uint64_t handle = 0;
    std::int64_t type = 0;
    std::int64_t shared_kib = 0;
    std::string model;
    DeviceProperties properties;
    properties.id = -1;
    std::int32_t node = 0;
    for_each_member(text, [&](std::string_view key, const JsonValue& value) {
      if (key == "id") handle = handle_in(value);
      if (key == "type") type = value.as_int64().value_or(0);
      if (key == "node_id") node = whole_within<std::int32_t>(value);
      if (key == "logical_node_id") properties.id = whole_within<std::int32_t>(value);
      if (key == "product_name") properties.name = value.as_string();
      if (key == "name") model = value.as_string();
      if (key == "cu_count") properties.multiprocessors = whole_within<std::int32_t>(value);
      if (key == "wave_front_size") properties.warp_threads = whole_within<std::int32_t>(value);
      if (key == "workgroup_max_size") {
        properties.max_threads_per_block = whole_within<std::int32_t>(value);
      }
      if (key == "lds_size_in_kb") shared_kib = whole_within<std::int32_t>(value);
    });
    if (handle == 0) return;
    if (properties.id < 0) properties.id = node;
    if (properties.name.empty()) properties.name = model;
    properties.shared_bytes_per_multiprocessor = shared_kib * 1024;
    constexpr std::int64_t kGpu = 2;
    agents_[handle] = {properties.id, type == kGpu};
    if (type == kGpu) rows.describe_device(std::move(properties));
  });
}

SdkAgents::Agent SdkAgents::of(std::uint64_t handle) const {
  const auto found = agents_.find(handle);
  if (found != agents_.end()) return found->second;
  return {static_cast<std::int32_t>(handle & 0x7FFF'FFFFu), true};
}

void SdkKernels::read(JsonStream& json) {
  for_each_entry(json, [&](std::string_view text) {
    std::optional<std::int64_t> id;
    Kernel kernel;
    // The names of a kernel, the best one first.
    constexpr std::string_view kNames[] = {"formatted_kernel_name", "demangled_kernel_name",
                                           "kernel_name", "truncated_kernel_name"};
    std::size_t best = std::size(kNames);
    std::string name;
    for_each_member(text, [&](std::string_view key, const JsonValue& value) {
      if (key == "kernel_id") id = value.as_int64();
      if (key == "arch_vgpr_count") kernel.registers = whole_within<std::uint32_t>(value);
      if (key == "accum_vgpr_count") {
        kernel.accumulation_registers = whole_within<std::uint32_t>(value);
      }
      if (key == "sgpr_count") kernel.scalar_registers = whole_within<std::uint32_t>(value);
      const auto rank = static_cast<std::size_t>(std::ranges::find(kNames, key) - kNames);
      if (rank >= best || value.type != JsonType::kString || value.text.empty()) return;
      name = value.as_string();
      best = rank;
    });
    if (!id || *id < 0 || name.empty()) return;
    kernel.written = std::move(name);
    kernels_.insert_or_assign(static_cast<std::uint64_t>(*id), std::move(kernel));
  });
}

const SdkKernels::Kernel& SdkKernels::of(std::uint64_t id, WorkRows& rows) {
  const auto [entry, is_new] = kernels_.try_emplace(id);
  Kernel& kernel = entry->second;
  if (is_new) {
    kernel.written = fmt::format("kernel {}", id);
    rows.sink().report.add(ImportIssue::kLostName, 0, kernel.written);
  }
  if (!kernel.name.id.valid()) kernel.name = rows.kernel_name(std::exchange(kernel.written, {}));
  return kernel;
}

void SdkCounters::read(JsonStream& json) {
  for_each_entry(json, [&](std::string_view text) {
    std::string name = sanitize_utf8(find(text, "name").as_string());
    if (!name.empty()) names_.insert_or_assign(handle_in(find(text, "id")), std::move(name));
  });
}

NamedCounters SdkCounters::of(std::string_view record) const {
  NamedCounters counted;
  for_each_element(find(record, "records").text, [&](const JsonValue& one) {
    const auto name = names_.find(handle_in(find(one.text, "counter_id")));
    const auto value = find(one.text, "value").as_double();
    if (name != names_.end() && value) counted[name->second] += *value;
  });
  return counted;
}

void SdkStrings::read(JsonStream& json, TraceSink& sink) {
  if (!json.begin_object()) {
    json.skip();
    return;
  }
  std::string key;
  while (json.next_member(key)) {
    if (key == "buffer_records") {
      for_each_entry(json, [&](std::string_view text) {
        Kind kind{find(text, "kind").as_string(), {}};
        for_each_element(find(text, "operations").text, [&](const JsonValue& operation) {
          kind.operations.push_back(operation.as_string());
        });
        kinds_.push_back(std::move(kind));
      });
    } else if (key == "marker_api") {
      for_each_entry(json, [&](std::string_view text) {
        const auto id = find(text, "key").as_int64();
        if (!id) return;
        messages_.insert_or_assign(static_cast<std::uint64_t>(*id),
                                   sink.name(find(text, "value").as_string()));
      });
    } else {
      json.skip();
    }
  }
}

std::string_view SdkStrings::kind(std::uint64_t kind) const {
  return kind < kinds_.size() ? std::string_view(kinds_[kind].name) : std::string_view();
}

std::string SdkStrings::operation(std::uint64_t kind, std::uint64_t operation) const {
  if (kind < kinds_.size() && operation < kinds_[kind].operations.size()) {
    return kinds_[kind].operations[operation];
  }
  return fmt::format("operation {} of kind {}", operation, kind);
}

std::optional<StringId> SdkStrings::message(std::uint64_t correlation) const {
  const auto found = messages_.find(correlation);
  if (found == messages_.end()) return std::nullopt;
  return found->second;
}

}  // namespace strobe::readers
