#include "strobe/cli/recording_csv.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/csv.h"
#include "strobe/device/name_parts.h"

namespace strobe::cli {
namespace {

using readers::KernelRecording;
using readers::RecordedLaunch;
using readers::RecordedProcess;

constexpr std::string_view kIdentity[] = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};

std::string_view unit_of(std::string_view metric) {
  if (metric.starts_with("gpu__time_duration")) return "ns";
  if (metric.find(".pct") != std::string_view::npos) return "%";
  if (metric.ends_with(".per_second")) {
    if (metric.find("cycles") != std::string_view::npos) return "hz";
    return metric.find("bytes") != std::string_view::npos ? "byte/s" : "";
  }
  if (metric.find("bytes") != std::string_view::npos) return "byte";
  if (metric.find("cycles") != std::string_view::npos) return "cycle";
  if (metric.find("inst_executed") != std::string_view::npos) return "inst";
  return "";
}

// All metrics of all processes, each once, in the requested order.
std::vector<std::string_view> columns_of(const KernelRecording& recording) {
  std::vector<std::string_view> columns;
  for (const RecordedProcess& process : recording.processes) {
    for (const std::string_view metric : process.metrics) {
      if (std::ranges::find(columns, metric) == columns.end()) columns.push_back(metric);
    }
  }
  return columns;
}

std::string capability(const RecordedProcess& process, std::uint32_t device) {
  const auto found = std::ranges::find(process.devices, device, &wire::DeviceRecord::index);
  if (found == process.devices.end()) return "";
  return fmt::format("{}.{}", found->capability_major, found->capability_minor);
}

std::string shape(const std::uint32_t (&size)[3]) {
  return fmt::format("({}, {}, {})", size[0], size[1], size[2]);
}

std::string value_of(const RecordedProcess& process, const RecordedLaunch& launch,
                     std::string_view metric) {
  const auto found = std::ranges::find(process.metrics, metric);
  if (found == process.metrics.end()) return "n/a";
  const double value = launch.values[static_cast<std::size_t>(found - process.metrics.begin())];
  return std::isfinite(value) ? fmt::format("{:.6f}", value) : "n/a";
}

void add_row(CsvWriter& csv, const std::vector<std::string>& fields) {
  for (const std::string& field : fields) csv.field(field);
  csv.end_row();
}

}  // namespace

std::string recording_csv(const KernelRecording& recording) {
  const std::vector<std::string_view> metrics = columns_of(recording);
  std::vector<std::string> names(std::begin(kIdentity), std::end(kIdentity));
  std::vector<std::string> units(names.size());
  for (const std::string_view metric : metrics) {
    names.emplace_back(metric);
    units.emplace_back(unit_of(metric));
  }
  std::string text;
  CsvWriter csv(text, CsvQuotes::kTexts);
  add_row(csv, names);
  add_row(csv, units);
  for (const RecordedProcess& process : recording.processes) {
    for (const RecordedLaunch& launch : process.launches) {
      const wire::LaunchRecord& facts = launch.facts;
      std::vector<std::string> fields = {fmt::format("{}", facts.index),
                                         fmt::format("{}", process.header.process_id),
                                         std::string(process.program),
                                         "",
                                         device::demangled(launch.name),
                                         fmt::format("{}", facts.context),
                                         fmt::format("{}", facts.stream),
                                         shape(facts.block),
                                         shape(facts.grid),
                                         fmt::format("{}", facts.device),
                                         capability(process, facts.device)};
      for (const std::string_view metric : metrics) {
        fields.push_back(value_of(process, launch, metric));
      }
      add_row(csv, fields);
    }
  }
  return text;
}

}  // namespace strobe::cli
