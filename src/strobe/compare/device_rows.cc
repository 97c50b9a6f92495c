#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/change.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/measure/measure.h"

namespace strobe::compare {
namespace {

struct DeviceSample {
  std::vector<double> busy_share;
  std::vector<double> busy_ms;
  std::vector<double> idle_ms;
  std::vector<double> launched_ms;
  double overhang_ms = 0;
  bool outlasts_cycles = false;

  void add(const RankMeasure& measure, const DeviceCycles& device, analysis::CycleType type) {
    overhang_ms = std::max(overhang_ms, static_cast<double>(device.overhang_ns) * 1e-6);
    outlasts_cycles |= device.outlasts_cycles;
    for (const std::size_t cycle : usable_cycles(measure, device.device, type)) {
      const auto length_ns = static_cast<double>(measure.cycles.cycles[cycle].interval.length_ns());
      const auto busy_ns = static_cast<double>(device.busy_ns[cycle]);
      busy_share.push_back(busy_ns / length_ns * 100);
      busy_ms.push_back(busy_ns * 1e-6);
      idle_ms.push_back((length_ns - busy_ns) * 1e-6);
      if (device.launched_ns.empty()) continue;
      launched_ms.push_back(static_cast<double>(device.launched_ns[cycle]) * 1e-6);
    }
  }
};

}  // namespace

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
    for (const RankMeasure* abnormal : rank.abnormals) {
      add(*abnormal, &std::pair<DeviceSample, DeviceSample>::second);
    }
    for (const std::string& name : names) {
      const auto& [normal, abnormal] = pairs[name];
      DeviceRow row = {.device = name,
                       .rank = rank.rank,
                       .busy_share = change_between(normal.busy_share, abnormal.busy_share),
                       .busy_ms = change_between(normal.busy_ms, abnormal.busy_ms),
                       .idle_ms = change_between(normal.idle_ms, abnormal.idle_ms),
                       .launched_ms = {},
                       .overhang_normal_ms = normal.overhang_ms,
                       .overhang_abnormal_ms = abnormal.overhang_ms,
                       .outlasts_cycles = normal.outlasts_cycles || abnormal.outlasts_cycles,
                       .outlasts_both = normal.outlasts_cycles && abnormal.outlasts_cycles};
      if (!normal.launched_ms.empty() && !abnormal.launched_ms.empty()) {
        row.launched_ms = change_between(normal.launched_ms, abnormal.launched_ms);
      }
      rows.push_back(std::move(row));
    }
  }
  for (Change DeviceRow::*quantity : {&DeviceRow::busy_share, &DeviceRow::busy_ms,
                                      &DeviceRow::idle_ms, &DeviceRow::launched_ms}) {
    std::vector<Change*> family;
    for (DeviceRow& row : rows) {
      if ((row.*quantity).normal.n > 0) family.push_back(&(row.*quantity));
    }
    adjust_family(family);
  }
  return rows;
}

}  // namespace strobe::compare
