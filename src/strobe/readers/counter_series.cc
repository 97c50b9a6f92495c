#include "strobe/readers/counter_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace strobe::readers {
namespace {

// Per process that holds streams of one device and nothing else of another: that device.
std::map<StringId, std::int32_t> devices_by_process(const Trace& trace) {
  std::map<StringId, std::int32_t> devices;
  std::set<StringId> of_several;
  for (const Track& track : trace.tracks()) {
    if (!track.device) continue;
    const auto [entry, is_new] = devices.try_emplace(track.process, *track.device);
    if (!is_new && entry->second != *track.device) of_several.insert(track.process);
  }
  for (const StringId process : of_several) devices.erase(process);
  return devices;
}

MetricSeries in_order(std::string device, std::string metric,
                      std::vector<std::pair<std::int64_t, double>> samples) {
  const auto time_of = [](const auto& sample) { return sample.first; };
  std::ranges::stable_sort(samples, {}, time_of);
  MetricSeries series{std::move(device), std::move(metric), {}, {}};
  for (const auto& [time_ns, value] : samples) {
    if (!series.times_ns.empty() && series.times_ns.back() == time_ns) {
      series.values.back() = value;
      continue;
    }
    series.times_ns.push_back(time_ns);
    series.values.push_back(value);
  }
  return series;
}

}  // namespace

std::string device_text(const Trace& trace, std::int32_t device) {
  return trace.traits().device_label + " " + std::to_string(device);
}

std::vector<MetricSeries> counter_series(const Trace& trace) {
  const CounterColumns& counters = trace.counters();
  const auto devices = devices_by_process(trace);
  std::map<StringId, std::set<StringId>> keys_of;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    keys_of[counters.names[i]].insert(counters.series[i]);
  }
  const auto device_of = [&](TrackId id) -> std::string {
    const Track& track = trace.tracks()[id.index()];
    if (track.device) return device_text(trace, *track.device);
    const auto found = devices.find(track.process);
    return found == devices.end() ? "Host" : device_text(trace, found->second);
  };
  std::map<std::tuple<TrackId, StringId, StringId>, std::vector<std::pair<std::int64_t, double>>>
      by_track;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (!std::isfinite(counters.values[i])) continue;
    by_track[{counters.tracks[i], counters.names[i], counters.series[i]}].emplace_back(
        counters.times_ns[i], counters.values[i]);
  }
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::int64_t, double>>> found;
  for (auto& [key, samples] : by_track) {
    const auto& [track, name, value_key] = key;
    std::string metric(trace.strings()[name]);
    if (keys_of[name].size() > 1) metric += " " + std::string(trace.strings()[value_key]);
    auto& all = found[{device_of(track), std::move(metric)}];
    all.insert(all.end(), samples.begin(), samples.end());
  }
  std::vector<MetricSeries> series;
  for (auto& [key, samples] : found) {
    series.push_back(in_order(key.first, key.second, std::move(samples)));
  }
  return series;
}

}  // namespace strobe::readers
