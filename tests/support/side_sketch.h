#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/comparison.h"

namespace strobe::compare {

// A measured run defined in a test, one rank, all times in milliseconds per cycle:
//
//   SideSketch("normal", {10, 10, 10}).function("gemm", {2, 2, 2}).metric("clock", {9, 9,
//   9}).side()
class SideSketch {
 public:
  SideSketch(std::string label, const std::vector<double>& cycle_ms) {
    side_.label = std::move(label);
    side_.path = side_.label + "/trace.json";
    side_.ranks.emplace_back();
    double now_ms = 0;
    for (const double ms : cycle_ms) {
      measure().cycles.cycles.push_back(
          {{ns(now_ms), ns(now_ms + ms)},
           "cycle " + std::to_string(measure().cycles.cycles.size() + 1),
           {},
           false});
      now_ms += ms;
    }
    device("Host");
  }

  RankMeasure& measure() { return side_.ranks.back(); }

  SideSketch& rank(std::int32_t number) {
    measure().rank = number;
    return *this;
  }
  SideSketch& device(const std::string& name) {
    const std::size_t cycles = measure().cycles.cycles.size();
    DeviceCycles device;
    device.device = name;
    device.busy_ns.resize(cycles);
    device.slices.assign(cycles, 100);
    device.is_partial.resize(cycles);
    measure().devices.push_back(std::move(device));
    return *this;
  }
  // Of the device added last, one call in each cycle in which it ran.
  SideSketch& function(const std::string& name, const std::vector<double>& ms,
                       FunctionKind kind = FunctionKind::kKernel) {
    FunctionCycles function;
    function.key = {name, kind, measure().devices.back().device};
    for (const double time_ms : ms) {
      function.time_ns.push_back(ns(time_ms));
      function.covered_ns.push_back(ns(time_ms));
      function.calls.push_back(time_ms > 0 ? 1 : 0);
    }
    measure().functions.push_back(std::move(function));
    return *this;
  }
  SideSketch& calls(std::vector<std::uint32_t> calls) {
    measure().functions.back().calls = std::move(calls);
    return *this;
  }
  SideSketch& partial(std::size_t cycle) {
    measure().devices.back().is_partial[cycle] = true;
    return *this;
  }
  // Over the function added last.
  SideSketch& metric(const std::string& name, const std::vector<double>& mean) {
    MetricCycles metric;
    metric.function = measure().functions.size() - 1;
    metric.series = measure().series.size();
    metric.mean = mean;
    for (const double value : mean) {
      metric.deviation.push_back(std::isnan(value) ? std::nan("") : 0);
      metric.coverage.push_back(std::isnan(value) ? 0 : 1);
    }
    measure().metrics.push_back(std::move(metric));
    SeriesCycles series;
    series.device = measure().devices.back().device;
    series.metric = name;
    series.samples = 10;
    series.mean = series.busy_mean = mean;
    measure().series.push_back(std::move(series));
    return *this;
  }
  SideFacts side() const { return side_; }

 private:
  static std::int64_t ns(double ms) { return std::llround(ms * 1e6); }

  SideFacts side_;
};

}  // namespace strobe::compare
