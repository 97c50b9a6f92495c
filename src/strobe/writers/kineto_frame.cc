#include "strobe/writers/kineto_frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::writers {
namespace {

constexpr std::array<std::string_view, 4> kEventDialects = {"kineto", "paddle", "autograd",
                                                            "chrome"};

constexpr std::array<std::string_view, 12> kKinetoCategories = {
    "cpu_op",      "user_annotation", "python_function", "cuda_runtime",
    "cuda_driver", "kernel",          "gpu_memcpy",      "gpu_memset",
    "cuda_sync",   "overhead",        "Trace",           "gpu_user_annotation"};

class MemberLines {
 public:
  // `write` writes the value.
  template <class Write>
  void add(std::string_view key, Write write) {
    text_ += "  ";
    append_json_string(key, text_);
    text_ += ": ";
    std::string value;
    // Blanks after colons, as Kineto writes them: there are scripts that search for `"rank": 0`.
    JsonWriter json(value, JsonLayout::kSpacedAscii);
    write(json);
    text_ += value + ",\n";
  }

  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

bool has_member(const Metadata& metadata, std::string_view key) {
  return std::ranges::any_of(metadata.members,
                             [&](const auto& member) { return member.first == key; });
}

void write_device(const DeviceProperties& device, JsonWriter& json) {
  json.begin_object();
  json.member("id", device.id);
  json.member("name", device.name);
  const std::pair<std::string_view, std::int64_t> numbers[] = {
      {"totalGlobalMem", device.memory_bytes},
      {"computeMajor", device.compute_major},
      {"computeMinor", device.compute_minor},
      {"maxThreadsPerBlock", device.max_threads_per_block},
      {"maxThreadsPerMultiprocessor", device.max_threads_per_multiprocessor},
      {"regsPerBlock", device.registers_per_block},
      {"warpSize", device.warp_threads},
      {"sharedMemPerBlock", device.shared_bytes_per_block},
      {"numSms", device.multiprocessors},
      {"regsPerMultiprocessor", device.registers_per_multiprocessor},
      {"sharedMemPerBlockOptin", device.shared_bytes_per_block_optin},
      {"sharedMemPerMultiprocessor", device.shared_bytes_per_multiprocessor}};
  for (const auto& [key, number] : numbers) {
    const bool is_known = number != 0 || (key == "computeMinor" && device.compute_major != 0);
    if (is_known) json.member(key, number);
  }
  json.end_object();
}

void add_devices(const Metadata& metadata, MemberLines& lines) {
  if (metadata.devices.empty() || has_member(metadata, "deviceProperties")) return;
  lines.add("deviceProperties", [&](JsonWriter& json) {
    json.begin_array();
    for (const DeviceProperties& device : metadata.devices) write_device(device, json);
    json.end_array();
  });
}

void add_distributed(const Distributed& distributed, const std::optional<GivenRank>& given,
                     MemberLines& lines) {
  if (!distributed.rank && !given) return;
  lines.add("distributedInfo", [&](JsonWriter& json) {
    json.begin_object();
    if (!distributed.backend.empty()) json.member("backend", distributed.backend);
    json.member("rank", distributed.rank ? *distributed.rank : given->rank);
    if (distributed.world_size) {
      json.member("world_size", *distributed.world_size);
    } else if (given) {
      json.member("world_size", given->world_size);
    }
    json.end_object();
  });
}

void add_members(const Metadata& metadata, bool without_rank, MemberLines& lines) {
  for (const auto& [key, json_text] : metadata.members) {
    if (key == "traceEvents" || key == "baseTimeNanoseconds") continue;
    if (without_rank && key == "distributedInfo") continue;
    lines.add(key, [&text = json_text](JsonWriter& json) { copy_json(parse_value(text), json); });
  }
}

FileFrame frame(const Trace& trace, std::int64_t base_time_ns,
                const std::optional<GivenRank>& given, bool is_shared) {
  const Metadata& metadata = trace.metadata();
  const bool is_of_kineto = trace.traits().dialect == "kineto" || !comes_from_events(trace);
  MemberLines lines;
  if (is_of_kineto && !has_member(metadata, "schemaVersion")) {
    lines.add("schemaVersion", [](JsonWriter& json) { json.value(1); });
  }
  if (base_time_ns != 0) {
    lines.add("baseTimeNanoseconds", [&](JsonWriter& json) { json.value(base_time_ns); });
  }
  add_devices(metadata, lines);
  if (!is_shared && !has_member(metadata, "distributedInfo")) {
    add_distributed(metadata.distributed, given, lines);
  }
  if (!comes_from_events(trace) && !has_member(metadata, "displayTimeUnit")) {
    lines.add("displayTimeUnit", [](JsonWriter& json) { json.value("ms"); });
  }
  add_members(metadata, is_shared, lines);
  if (is_of_kineto || trace.traits().dialect == "paddle") return {lines.take(), ""};
  return {"", lines.take()};
}

}  // namespace

bool comes_from_events(const Trace& trace) {
  return std::ranges::find(kEventDialects, trace.traits().dialect) != kEventDialects.end();
}

std::string_view kineto_category(SliceKind kind, std::string_view own) {
  if (std::ranges::find(kKinetoCategories, own) != kKinetoCategories.end()) return own;
  if (kind == SliceKind::kOperator || kind == SliceKind::kOperatorPhase) return "cpu_op";
  if (is_tree_kind(kind)) return "user_annotation";
  switch (kind) {
    case SliceKind::kPythonCall:
      return "python_function";
    case SliceKind::kRuntimeCall:
      return "cuda_runtime";
    case SliceKind::kOverhead:
      return "overhead";
    case SliceKind::kSync:
      return "cuda_sync";
    case SliceKind::kProfiler:
      return "Trace";
    case SliceKind::kKernel:
      return "kernel";
    case SliceKind::kMemcpy:
      return "gpu_memcpy";
    case SliceKind::kMemset:
      return "gpu_memset";
    case SliceKind::kDeviceAnnotation:
      return "gpu_user_annotation";
    default:
      return own.empty() ? word_of(kind) : own;
  }
}

namespace {

// The number in "GPU 3" or "Place(gpu:3)"; nothing for memory of the host, pinned or not.
std::optional<std::int64_t> device_of_place(std::string_view place) {
  if (lower_case(place).find("cpu") != std::string::npos) return std::nullopt;
  place.remove_prefix(std::min(place.find_first_of("0123456789"), place.size()));
  return parse_whole_number(place.substr(0, place.find_first_not_of("0123456789")));
}

}  // namespace

std::string kineto_memory_arguments(const Trace& trace, std::size_t row) {
  const MemoryColumns& memory = trace.memory();
  const auto device = device_of_place(trace.strings()[memory.places[row]]);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("Device Type", device ? 1 : 0);
  json.member("Device Id", device.value_or(-1));
  json.member("Bytes", memory.bytes[row]);
  if (memory.addresses[row] != 0) json.member("Addr", memory.addresses[row]);
  if (memory.allocated_bytes[row] >= 0) json.member("Total Allocated", memory.allocated_bytes[row]);
  if (memory.reserved_bytes[row] >= 0) json.member("Total Reserved", memory.reserved_bytes[row]);
  json.end_object();
  return text;
}

FileFrame frame_of(const Trace& trace, std::int64_t base_time_ns,
                   const std::optional<GivenRank>& given) {
  return frame(trace, base_time_ns, given, false);
}

FileFrame shared_frame_of(const Trace& first, std::int64_t base_time_ns) {
  return frame(first, base_time_ns, std::nullopt, true);
}

}  // namespace strobe::writers
