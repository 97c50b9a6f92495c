#include "strobe/readers/rocm/work_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/hash.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"

namespace strobe::readers {
namespace {

std::string_view without_quotes(std::string_view name) {
  while (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

// Launches are counted in blocks elsewhere. The last block may be partly empty.
std::array<std::uint64_t, 3> blocks_of(const LaunchFacts& facts) {
  std::array<std::uint64_t, 3> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint64_t block = std::max<std::uint64_t>(facts.block[i], 1);
    blocks[i] = facts.grid[i] / block + (facts.grid[i] % block != 0 ? 1 : 0);
  }
  return blocks;
}

void add_sides(std::string_view key, const std::array<std::uint64_t, 3>& sides, JsonWriter& json) {
  json.key(key).begin_array();
  for (const std::uint64_t side : sides) json.value(std::max<std::uint64_t>(side, 1));
  json.end_array();
}

// In the words of the framework's own profiler, so that a run looks the same from both.
std::string_view name_of(CopyWay way) {
  switch (way) {
    case CopyWay::kHostToHost:
      return "Memcpy HtoH (Host -> Host)";
    case CopyWay::kHostToDevice:
      return "Memcpy HtoD (Host -> Device)";
    case CopyWay::kDeviceToHost:
      return "Memcpy DtoH (Device -> Host)";
    case CopyWay::kDeviceToDevice:
      return "Memcpy DtoD (Device -> Device)";
    case CopyWay::kUnknown:
      break;
  }
  return "Memcpy";
}

}  // namespace

CopyWay copy_way(std::string_view words) {
  std::string letters;
  for (const char c : words) {
    if (is_letter_or_digit(c)) letters += lower(c);
  }
  const auto has = [&](std::string_view way) { return letters.find(way) != std::string::npos; };
  if (has("hosttodevice") || letters.ends_with("htod") || has("htodasync")) {
    return CopyWay::kHostToDevice;
  }
  if (has("devicetohost") || letters.ends_with("dtoh") || has("dtohasync")) {
    return CopyWay::kDeviceToHost;
  }
  if (has("devicetodevice") || letters.ends_with("dtod") || has("dtodasync")) {
    return CopyWay::kDeviceToDevice;
  }
  if (has("hosttohost")) return CopyWay::kHostToHost;
  return CopyWay::kUnknown;
}

CopyWay way_between(bool from_gpu, bool to_gpu) {
  if (from_gpu) return to_gpu ? CopyWay::kDeviceToDevice : CopyWay::kDeviceToHost;
  return to_gpu ? CopyWay::kHostToDevice : CopyWay::kHostToHost;
}

WorkRows::WorkRows(TraceSink& sink, std::string_view dialect) : sink_(sink) {
  TraceTraits& traits = sink.builder.metadata().traits;
  traits.dialect = dialect;
  traits.runtime_label = "HipRuntime";
  kernel_category_ = sink.builder.category("kernel");
}

KernelName WorkRows::kernel_name(std::string_view written) {
  if (const auto found = names_.find(written); found != names_.end()) return found->second;
  const std::string name = device::readable_name(without_quotes(written));
  const KernelName made{
      sink_.name(name.empty() ? "(no name)" : name),
      static_cast<std::uint8_t>(device::is_any_collective(name) ? kCommunicates : kNoFlags)};
  names_.emplace(written, made);
  return made;
}

std::size_t WorkRows::ArgsKeyHash::operator()(const ArgsKey& key) const noexcept {
  std::uint64_t hash = fnv1a(static_cast<std::uint64_t>(key.device), key.stream);
  for (const std::uint64_t side : key.facts.grid) hash = fnv1a(hash, side);
  for (const std::uint64_t side : key.facts.block) hash = fnv1a(hash, side);
  hash = fnv1a(hash, key.facts.queue);
  hash = fnv1a(hash, key.facts.shared_bytes);
  hash = fnv1a(hash, key.facts.scratch_bytes);
  hash = fnv1a(hash, key.facts.registers);
  hash = fnv1a(hash, key.facts.accumulation_registers);
  return static_cast<std::size_t>(fnv1a(hash, key.facts.scalar_registers));
}

std::size_t WorkRows::CopyKeyHash::operator()(const CopyKey& key) const noexcept {
  const std::uint64_t place = fnv1a(static_cast<std::uint64_t>(key.device), key.stream);
  return static_cast<std::size_t>(fnv1a(place, key.bytes ^ (key.has_bytes ? 1u : 0u)));
}

ArgsId WorkRows::kernel_args(const KernelRow& row) {
  if (!sink_.keeps_args()) return {};
  if (row.counters != nullptr) return sink_.keep(kernel_text(row));
  const auto [entry, is_new] =
      kernel_args_.try_emplace({row.device, row.stream, row.facts}, ArgsId());
  if (is_new) entry->second = sink_.keep(kernel_text(row));
  return entry->second;
}

std::string WorkRows::kernel_text(const KernelRow& row) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("device", row.device).member("stream", row.stream);
  const auto member = [&](std::string_view key, std::uint64_t value) {
    if (value != 0) json.member(key, value);
  };
  member("queue", row.facts.queue);
  member("registers per thread", row.facts.registers);
  member("accumulation registers per thread", row.facts.accumulation_registers);
  member("scalar registers", row.facts.scalar_registers);
  if (row.facts.block[0] != 0) json.member("shared memory", row.facts.shared_bytes);
  member("scratch memory per thread", row.facts.scratch_bytes);
  if (row.facts.grid[0] != 0 && row.facts.block[0] != 0) {
    add_sides("grid", blocks_of(row.facts), json);
    add_sides("block", row.facts.block, json);
  }
  if (row.counters != nullptr) {
    json.key("counters").begin_object();
    for (const auto& [name, value] : *row.counters) json.member(name, value);
    json.end_object();
  }
  json.end_object();
  return text;
}

ArgsId WorkRows::copy_args(const CopyRow& row) {
  if (!sink_.keeps_args()) return {};
  const CopyKey key{row.device, row.stream.value_or(~0ull), row.bytes.value_or(0),
                    row.bytes.has_value()};
  const auto [entry, is_new] = copy_args_.try_emplace(key, ArgsId());
  if (!is_new) return entry->second;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("device", row.device);
  if (row.stream) json.member("stream", *row.stream);
  if (row.bytes) json.member("bytes", *row.bytes);
  json.end_object();
  return entry->second = sink_.keep(text);
}

TrackId WorkRows::stream_of(std::int32_t device, std::uint64_t stream) {
  return sink_.tracks.stream(device, stream);
}

void WorkRows::add_kernel(const KernelRow& row) {
  sink_.add({.start_ns = row.times.start_ns,
             .name = row.name.id,
             .track = stream_of(row.device, row.stream),
             .category = kernel_category_,
             .kind = SliceKind::kKernel,
             .flags = row.name.flags,
             .correlation = row.launch,
             .args = kernel_args(row)},
            row.times.end_ns, row.times.offset);
}

// No device takes part in a copy from host to host.
void WorkRows::add_copy(const CopyRow& row) {
  const bool is_work = row.way != CopyWay::kHostToHost;
  sink_.add({.start_ns = row.times.start_ns,
             .name = sink_.builder.intern(name_of(row.way)),
             .track = !is_work     ? sink_.tracks.about_machine("copies")
                      : row.stream ? stream_of(row.device, *row.stream)
                                   : sink_.tracks.stream(row.device, "copies"),
             .category = sink_.builder.category("gpu_memcpy"),
             .kind = is_work ? SliceKind::kMemcpy : SliceKind::kOther,
             .correlation = row.launch,
             .args = copy_args(row)},
            row.times.end_ns, row.times.offset);
}

void WorkRows::add_fill(const FillRow& row) {
  sink_.add({.start_ns = row.times.start_ns,
             .name = sink_.builder.intern("Memset (Device)"),
             .track = stream_of(row.device, row.stream),
             .category = sink_.builder.category("gpu_memset"),
             .kind = SliceKind::kMemset,
             .correlation = row.launch,
             .args = {}},
            row.times.end_ns, row.times.offset);
}

SliceId WorkRows::add_host(const HostRow& row) {
  return sink_.add({.start_ns = row.times.start_ns,
                    .name = row.name,
                    .track = row.track,
                    .category = sink_.builder.category(row.category),
                    .kind = row.kind,
                    .flags = static_cast<std::uint8_t>(
                        row.kind == SliceKind::kCommunication ? kCommunicates : kNoFlags),
                    .correlation = row.launch,
                    .args = sink_.keep(row.args)},
                   row.times.end_ns, row.times.offset);
}

void WorkRows::add_mark(const WorkTimes& times, StringId name, TrackId track,
                        std::string_view category) {
  sink_.add_instant(times.start_ns, name, track, sink_.builder.category(category));
}

void WorkRows::add_allocation(const AllocationFacts& one) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;  // more than any machine has
  if (one.bytes > kMostBytes) {
    sink_.report.add(ImportIssue::kBadNumber, 0, "bytes of an allocation");
    return;
  }
  const std::string place = one.device ? fmt::format("Place(gpu:{})", *one.device) : "Place(cpu)";
  sink_.add_reservation({.time_ns = one.time_ns,
                         .is_free = one.is_free,
                         .place = sink_.builder.intern(place),
                         .bytes = one.bytes,
                         .address = one.address,
                         .track = one.track});
}

SliceKind WorkRows::call_kind(std::string_view name, std::string_view domain) {
  const auto is_of = [&](std::string_view word) { return domain.find(word) != domain.npos; };
  // The tracer's own threads, as it writes what it has collected.
  if (name.ends_with("::writeRows") || name == "hcc_activity_callback") {
    return SliceKind::kOverhead;
  }
  if (is_of("RCCL") || is_of("rccl")) return SliceKind::kCommunication;
  if (is_of("MARKER_CONTROL") || is_of("MARKER_NAME")) return SliceKind::kOther;
  if (is_of("MARKER") || is_of("marker") || is_of("ROCTX") || is_of("roctx") || is_of("rocTX")) {
    return SliceKind::kAnnotation;
  }
  const bool is_call = name.starts_with("hip") || name.starts_with("__hip") ||
                       name.starts_with("hsa") || is_of("HIP") || is_of("HSA") || is_of("hip") ||
                       is_of("hsa") || is_of("KFD_API") || is_of("_API") || is_of("_api");
  return is_call ? SliceKind::kRuntimeCall : SliceKind::kAnnotation;
}

void WorkRows::describe_device(DeviceProperties properties) {
  described_.try_emplace(properties.id, std::move(properties));
}

void WorkRows::list_devices() {
  std::vector<DeviceProperties>& listed = sink_.builder.metadata().devices;
  for (const Track& track : sink_.builder.tracks()) {
    if (track.kind != TrackKind::kDeviceStream || !track.device) continue;
    const auto known = described_.find(*track.device);
    if (known == described_.end()) continue;
    if (std::ranges::find(listed, *track.device, &DeviceProperties::id) != listed.end()) continue;
    listed.push_back(known->second);
  }
  std::ranges::sort(listed, {}, &DeviceProperties::id);
}

void WorkRows::finish() {
  list_devices();
  sink_.order_slices();
  if (launches.left_out() > 0) {
    sink_.report.add_many(ImportIssue::kWideCorrelation, launches.left_out());
  }
}

}  // namespace strobe::readers
