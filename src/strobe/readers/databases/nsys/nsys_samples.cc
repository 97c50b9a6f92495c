#include "strobe/readers/databases/nsys/nsys_samples.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/readers/databases/nvidia_words.h"
#include "strobe/readers/recording/recording_args.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kNsysMetricTrack = "metrics";

void add_counter(NsysFile& file, std::int64_t time_ns, TrackId track, StringId name,
                 StringId series, double value) {
  CounterVectors& counters = file.sink.builder.counters();
  counters.times_ns.push_back(time_ns);
  counters.tracks.push_back(track);
  counters.names.push_back(name);
  counters.series.push_back(series);
  counters.values.push_back(value);
}

// The device's number for programs by its number in the machine, which metrics have.
std::map<std::int64_t, std::int32_t> devices_by_machine_number(NsysFile& file) {
  std::map<std::int64_t, std::int32_t> devices;
  file.tables.read(
      "TARGET_INFO_GPU", std::to_array<std::string_view>({"id", "cuDevice"}),
      [&](const sqlite::TableRows& row) {
        const std::int64_t device = row.integer(1);
        if (row.is_null(1) || device < 0 || device > std::numeric_limits<std::int32_t>::max()) {
          return;
        }
        devices[row.integer(0)] = static_cast<std::int32_t>(device);
      });
  return devices;
}

struct NsysMetric {
  TrackId track;
  StringId name;
  StringId series;
};

}  // namespace

bool add_nsys_cpu_samples(NsysFile& file) {
  constexpr std::string_view kSamples = "COMPOSITE_EVENTS";
  constexpr std::string_view kStacks = "SAMPLING_CALLCHAINS";
  enum Column : std::size_t { kId, kTime, kThread };
  constexpr auto kColumns = std::to_array<std::string_view>({"id", "start", "globalTid"});
  if (!file.tables.has(kSamples)) return true;
  // The function in which the thread was, by the sample. Samples count from 1.
  std::vector<std::uint32_t> functions;
  const std::uint64_t most = 4 * file.tables.about_rows(std::array{kSamples}) + 1024;
  if (file.tables.has(kStacks, "stackDepth")) {
    constexpr auto kStackColumns = std::to_array<std::string_view>({"id", "symbol", "stackDepth"});
    file.tables.read_first(kStacks, kStackColumns, [&](const sqlite::TableRows& row) {
      const auto id = static_cast<std::uint64_t>(row.integer(0));
      if (row.integer(2) != 0 || id >= most) return;
      if (id >= functions.size()) functions.resize(id + 1);
      functions[id] = file.texts.number_of(row.integer(1));
    });
  }
  const CategoryId category = file.sink.builder.category("cpu_sample");
  const StringId no_stack = file.sink.builder.intern("sample");
  std::vector<StringId> names(file.texts.size());
  names[TextsById::kUnknown] = no_stack;
  return file.tables.read(kSamples, kColumns, [&](const sqlite::TableRows& row) {
    std::int64_t time_ns = 0;
    if (!read_time(row, kTime, kSamples, file.sink.report, time_ns)) return;
    const auto id = static_cast<std::uint64_t>(row.integer(kId));
    const std::uint32_t function = id < functions.size() ? functions[id] : TextsById::kUnknown;
    if (!names[function].valid()) names[function] = file.sink.name(file.texts.text(function));
    file.sink.add_instant(time_ns, names[function], file.thread(row, kThread), category);
  });
}

bool add_nsys_device_metrics(NsysFile& file) {
  constexpr std::string_view kTable = "GPU_METRICS";
  enum Column : std::size_t { kTime, kType, kMetric, kValue };
  constexpr auto kColumns =
      std::to_array<std::string_view>({"timestamp", "typeId", "metricId", "value"});
  if (!file.tables.has(kTable)) return true;
  using TypeMetric = std::pair<std::int64_t, std::int64_t>;
  std::map<TypeMetric, std::string> names;
  file.tables.read("TARGET_INFO_GPU_METRICS",
                   std::to_array<std::string_view>({"typeId", "metricId", "metricName"}),
                   [&](const sqlite::TableRows& row) {
                     names[{row.integer(0), row.integer(1)}] = row.text(2);
                   });
  const auto devices = devices_by_machine_number(file);
  std::map<TypeMetric, NsysMetric> metrics;
  const auto metric_of = [&](TypeMetric key) {
    constexpr std::int64_t kDeviceBits = 0xff;
    const std::int64_t number = key.first & kDeviceBits;
    const auto device = devices.find(number);
    const auto name = names.find(key);
    NsysMetric metric;
    metric.track = file.sink.tracks.about_device(
        device == devices.end() ? static_cast<std::int32_t>(number) : device->second,
        kNsysMetricTrack);
    metric.name =
        file.sink.name(name == names.end() ? fmt::format("metric {}", key.second) : name->second);
    metric.series = metric.name;
    return metric;
  };
  return file.tables.read(kTable, kColumns, [&](const sqlite::TableRows& row) {
    std::int64_t time_ns = 0;
    if (!read_time(row, kTime, kTable, file.sink.report, time_ns)) return;
    const auto [metric, is_new] =
        metrics.try_emplace({row.integer(kType), row.integer(kMetric)}, NsysMetric());
    if (is_new) metric->second = metric_of(metric->first);
    add_counter(file, time_ns, metric->second.track, metric->second.name, metric->second.series,
                row.real(kValue));
  });
}

bool add_nsys_network_metrics(NsysFile& file) {
  constexpr std::string_view kTable = "NET_NIC_METRIC";
  enum Column : std::size_t { kTime, kNic, kPort, kList, kIndex, kValue };
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"start", "globalId", "portId", "metricsListId", "metricsIdx", "value"});
  if (!file.tables.has(kTable)) return true;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;  // by list and index
  file.tables.read("TARGET_INFO_NETWORK_METRICS",
                   std::to_array<std::string_view>({"metricsListId", "metricsIdx", "name"}),
                   [&](const sqlite::TableRows& row) {
                     names[{row.integer(0), row.integer(1)}] = row.text(2);
                   });
  std::map<std::int64_t, std::string> cards;  // by their number in the machine
  file.tables.read("TARGET_INFO_NIC_INFO", std::to_array<std::string_view>({"nicId", "name"}),
                   [&](const sqlite::TableRows& row) { cards[row.integer(0)] = row.text(1); });
  std::map<std::int64_t, std::string> nics;  // by their number in the metrics
  file.tables.read(
      "NIC_ID_MAP", std::to_array<std::string_view>({"nicId", "globalId"}),
      [&](const sqlite::TableRows& row) { nics[row.integer(1)] = cards[row.integer(0)]; });
  using NicMetric = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<NicMetric, NsysMetric> metrics;
  const auto metric_of = [&](const NicMetric& key) {
    const auto& [nic, port, list, index] = key;
    const auto card = nics.find(nic);
    const auto name = names.find({list, index});
    NsysMetric metric;
    metric.track = file.sink.tracks.about_machine("network");
    metric.name =
        file.sink.name(name == names.end() ? fmt::format("metric {}", index) : name->second);
    metric.series = file.sink.name(fmt::format(
        "{} port {}",
        card == nics.end() || card->second.empty() ? fmt::format("NIC {}", nic) : card->second,
        port));
    return metric;
  };
  return file.tables.read(kTable, kColumns, [&](const sqlite::TableRows& row) {
    std::int64_t time_ns = 0;
    if (!read_time(row, kTime, kTable, file.sink.report, time_ns)) return;
    const NicMetric key{row.integer(kNic), row.integer(kPort), row.integer(kList),
                        row.integer(kIndex)};
    const auto [metric, is_new] = metrics.try_emplace(key, NsysMetric());
    if (is_new) metric->second = metric_of(key);
    add_counter(file, time_ns, metric->second.track, metric->second.name, metric->second.series,
                row.real(kValue));
  });
}

// The order of the rows is not that of time.
bool add_nsys_memory_use(NsysFile& file) {
  constexpr std::string_view kTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  constexpr std::int64_t kFree = 1;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 56;  // more than any machine has
  enum Column : std::size_t { kTime, kProcess, kDevice, kAddress, kBytes, kKind, kOperation };
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType"});
  if (!file.tables.has(kTable)) return true;
  std::vector<TraceSink::Reservation> all;
  std::map<std::uint64_t, TrackId> tracks;
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> places;  // by kind and device
  const bool goes_on = file.tables.read(kTable, kColumns, [&](const sqlite::TableRows& row) {
    TraceSink::Reservation one;
    if (!read_time(row, kTime, kTable, file.sink.report, one.time_ns)) return;
    const std::int64_t bytes = row.integer(kBytes);
    if (bytes < 0 || bytes > kMostBytes) {
      file.sink.report.add(ImportIssue::kBadNumber, 0, "bytes of an allocation");
    } else {
      one.bytes = static_cast<std::uint64_t>(bytes);
    }
    const auto process = GlobalId::of(row.integer(kProcess));
    const auto [track, is_new_track] = tracks.try_emplace(process.process());
    if (is_new_track) {
      track->second = file.sink.tracks.beside_threads(process.process_id(), "memory");
    }
    const auto [place, is_new_place] =
        places.try_emplace({row.integer(kKind), row.integer(kDevice)});
    if (is_new_place) {
      place->second = file.sink.name(nsys_place(place->first.first, place->first.second));
    }
    one.track = track->second;
    one.place = place->second;
    one.address = static_cast<std::uint64_t>(row.integer(kAddress));
    one.is_free = row.integer(kOperation) == kFree;
    all.push_back(one);
  });
  std::ranges::stable_sort(all, {}, &TraceSink::Reservation::time_ns);
  for (TraceSink::Reservation& one : all) {
    const std::string_view place = file.sink.builder.strings()[one.place];
    one.args = file.sink.keep(allocation_args(place, one.bytes, one.address));
    file.sink.add_reservation(one);
  }
  return goes_on;
}

}  // namespace strobe::readers
