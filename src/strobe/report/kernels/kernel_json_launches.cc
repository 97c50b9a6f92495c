#include "strobe/report/kernels/kernel_json_launches.h"

#include <string>

namespace strobe::report {
namespace {

using analysis::KernelStudy;

std::string_view policy_word(ClockPolicy policy) {
  switch (policy) {
    case ClockPolicy::kFree:
      return "free";
    case ClockPolicy::kLocked:
      return "locked";
    case ClockPolicy::kUnknown:
      break;
  }
  return "unknown";
}

void write_shape(JsonWriter& json, std::string_view key, const std::vector<LaunchShape>& shapes,
                 std::size_t row) {
  if (row >= shapes.size() || !shapes[row].is_known()) return;
  json.key(key).begin_array().value(shapes[row].x).value(shapes[row].y).value(shapes[row].z);
  json.end_array();
}

template <class Number>
void write_entry(JsonWriter& json, std::string_view key, const std::vector<Number>& column,
                 std::size_t row) {
  if (row < column.size()) json.member(key, column[row]);
}

void write_metrics(JsonWriter& json, const KernelTable& table, std::size_t row) {
  json.key("metrics").begin_object();
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    const auto metric = static_cast<KernelMetric>(i);
    if (const auto value = table.value(metric, row)) json.member(word_of(metric), *value);
  }
  json.end_object();
}

void write_launch(JsonWriter& json, const KernelStudy& study, std::size_t row) {
  const KernelTable& table = *study.table;
  const analysis::StudiedLaunch& launch = study.launches[row];
  json.begin_object();
  write_entry(json, "id", table.ids, row);
  json.member("name", table.name(row));
  if (row < table.mangled_names.size() && !table.strings[table.mangled_names[row]].empty()) {
    json.member("mangled", table.strings[table.mangled_names[row]]);
  }
  json.member("duration_ns", table.durations_ns[row]);
  write_shape(json, "grid", table.grids, row);
  write_shape(json, "block", table.blocks, row);
  write_entry(json, "stream", table.streams, row);
  write_entry(json, "context", table.contexts, row);
  write_entry(json, "device", table.device_indices, row);
  write_metrics(json, table, row);
  json.member("family", word_of(study.identity(row).family))
      .member("bound", word_of(launch.bound))
      .member("short", launch.is_short)
      .member("clock_low", launch.is_clock_low);
  json.end_object();
}

}  // namespace

void write_kernel_source(JsonWriter& json, const KernelStudy& study) {
  const KernelTable& table = *study.table;
  json.member("path", table.path)
      .member("source", word_of(table.source))
      .member("clock_policy", policy_word(table.clock_policy));
  json.key("chip");
  if (study.chip) {
    json.value(study.chip->name);
  } else {
    json.null();
  }
  json.key("devices").begin_array();
  for (const KernelDevice& device : table.devices) {
    std::string line;
    JsonWriter one(line);
    one.begin_object()
        .member("index", device.index)
        .member("name", device.name)
        .member("capability", device.capability)
        .member("sm_count", device.sm_count)
        .member("most_clock_hz", device.most_clock_hz)
        .member("dram_bytes_per_s", device.dram_bytes_per_s)
        .end_object();
    json.raw(line);
  }
  json.end_array();
}

void write_kernel_launches(JsonWriter& json, const KernelStudy& study) {
  json.key("kernels").begin_array();
  for (std::size_t row = 0; row < study.launches.size(); ++row) {
    std::string line;
    JsonWriter one(line);
    write_launch(one, study, row);
    json.raw(line);
  }
  json.end_array();
}

}  // namespace strobe::report
