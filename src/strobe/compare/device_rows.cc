#include "strobe/compare/device_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "strobe/compare/family.h"
#include "strobe/compare/measure/usable_cycles.h"
#include "strobe/stats/moments.h"

namespace strobe::compare {
namespace {

struct SeriesSample {
  std::vector<double> all;
  std::vector<double> busy;
  std::vector<double> recording_means;
  std::vector<double> recording_medians;

  void add(const SeriesCycles& series, const std::vector<std::size_t>& usable) {
    for (const std::size_t cycle : usable) {
      if (!std::isnan(series.mean[cycle])) all.push_back(series.mean[cycle]);
      if (!std::isnan(series.busy_mean[cycle])) busy.push_back(series.busy_mean[cycle]);
    }
    if (series.samples == 0) return;
    recording_means.push_back(series.recording_mean);
    recording_medians.push_back(series.recording_median);
  }
};

struct SeriesPair {
  device::MetricInfo info;
  SeriesSample normal;
  SeriesSample abnormal;
};

using SeriesPairs = std::map<std::pair<std::string, std::string>, SeriesPair>;

void add_series(const RankMeasure& measure, analysis::CycleType type,
                SeriesSample SeriesPair::*side, SeriesPairs& pairs) {
  for (const SeriesCycles& series : measure.series) {
    const auto [pair, is_new] = pairs.try_emplace({series.device, series.metric});
    if (is_new) pair->second.info = series.info;
    (pair->second.*side).add(series, usable_cycles(measure, series.device, type));
  }
}

struct DeviceSample {
  std::vector<double> busy_share;
  std::vector<double> busy_ms;
  std::vector<double> idle_ms;

  void add(const RankMeasure& measure, const DeviceCycles& device, analysis::CycleType type) {
    for (const std::size_t cycle : usable_cycles(measure, device.device, type)) {
      const auto length_ns = static_cast<double>(measure.cycles.cycles[cycle].interval.length_ns());
      const auto busy_ns = static_cast<double>(device.busy_ns[cycle]);
      busy_share.push_back(busy_ns / length_ns * 100);
      busy_ms.push_back(busy_ns * 1e-6);
      idle_ms.push_back((length_ns - busy_ns) * 1e-6);
    }
  }
};

}  // namespace

std::vector<MetricRow> compare_series(const std::vector<PairedRank>& ranks,
                                      analysis::CycleType type) {
  std::vector<MetricRow> rows;
  for (const PairedRank& rank : ranks) {
    SeriesPairs pairs;
    for (const RankMeasure* normal : rank.normals) {
      add_series(*normal, type, &SeriesPair::normal, pairs);
    }
    add_series(*rank.abnormal, type, &SeriesPair::abnormal, pairs);
    for (const auto& [key, pair] : pairs) {
      const auto typical = [](const std::vector<double>& of_runs) {
        return of_runs.empty() ? 0 : stats::median_of(of_runs);
      };
      rows.push_back({key.first, key.second, rank.rank, pair.info,
                      change_between(pair.normal.all, pair.abnormal.all),
                      change_between(pair.normal.busy, pair.abnormal.busy),
                      typical(pair.normal.recording_means), typical(pair.abnormal.recording_means),
                      typical(pair.normal.recording_medians),
                      typical(pair.abnormal.recording_medians)});
    }
  }
  std::vector<Change*> all;
  std::vector<Change*> busy;
  for (MetricRow& row : rows) {
    all.push_back(&row.all);
    busy.push_back(&row.busy);
  }
  adjust_family(all);
  adjust_family(busy);
  return rows;
}

std::vector<DeviceRow> compare_devices(const std::vector<PairedRank>& ranks,
                                       analysis::CycleType type) {
  std::vector<DeviceRow> rows;
  for (const PairedRank& rank : ranks) {
    std::vector<std::string> names;
    std::map<std::string, std::pair<DeviceSample, DeviceSample>> pairs;
    const auto add = [&](const RankMeasure& measure,
                         DeviceSample std::pair<DeviceSample, DeviceSample>::*side) {
      for (const DeviceCycles& device : measure.devices) {
        const auto [pair, is_new] = pairs.try_emplace(device.device);
        if (is_new) names.push_back(device.device);
        (pair->second.*side).add(measure, device, type);
      }
    };
    for (const RankMeasure* normal : rank.normals) {
      add(*normal, &std::pair<DeviceSample, DeviceSample>::first);
    }
    add(*rank.abnormal, &std::pair<DeviceSample, DeviceSample>::second);
    for (const std::string& name : names) {
      const auto& [normal, abnormal] = pairs[name];
      rows.push_back({name, rank.rank, change_between(normal.busy_share, abnormal.busy_share),
                      change_between(normal.busy_ms, abnormal.busy_ms),
                      change_between(normal.idle_ms, abnormal.idle_ms)});
    }
  }
  for (Change DeviceRow::*quantity :
       {&DeviceRow::busy_share, &DeviceRow::busy_ms, &DeviceRow::idle_ms}) {
    std::vector<Change*> family;
    for (DeviceRow& row : rows) family.push_back(&(row.*quantity));
    adjust_family(family);
  }
  return rows;
}

}  // namespace strobe::compare
