#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/trace/run.h"
#include "tests/support/sketch.h"

namespace strobe::compare {

// Cycles of 100 us each, from 0 on.
inline analysis::CycleList cycles_of_100_us(std::int64_t count) {
  analysis::CycleList list;
  list.process = "42";
  for (std::int64_t i = 0; i < count; ++i) {
    analysis::Cycle cycle;
    cycle.interval = {i * 100'000, (i + 1) * 100'000};
    list.cycles.push_back(cycle);
  }
  return list;
}

inline MetricSeries series_of(std::string device, std::string metric,
                              const std::vector<std::pair<std::int64_t, double>>& samples) {
  MetricSeries series{std::move(device), std::move(metric), {}, {}};
  for (const auto& [time_ns, value] : samples) {
    series.times_ns.push_back(time_ns);
    series.values.push_back(value);
  }
  return series;
}

inline RankCapture capture_of(Sketch& sketch, std::vector<MetricSeries> metrics) {
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(sketch.trace());
  capture.metrics = std::move(metrics);
  return capture;
}

}  // namespace strobe::compare
