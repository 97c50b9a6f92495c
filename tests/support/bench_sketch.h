#pragma once

#include <string>
#include <utility>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// Cells and runs of benchmarks in a line each.
namespace strobe::bench {

inline TimeSummary sketched_time(double p50_us) {
  return {.p50 = p50_us,
          .p20 = p50_us * 0.99,
          .p80 = p50_us * 1.01,
          .min = p50_us * 0.98,
          .mad = p50_us * 0.005,
          .n = 40,
          .ci95 = {p50_us * 0.998, p50_us * 1.002}};
}

// A cell that ran: `device_us` of device time.
inline CellRecord sketched_cell(std::string case_id, Shape shape, std::string provider,
                                double device_us) {
  CellRecord record;
  record.cell = {std::move(case_id), std::move(shape), DType::kF32, std::move(provider)};
  record.status = CellStatus::kOk;
  record.times[TimeMode::kDevice] = sketched_time(device_us);
  return record;
}

// What was counted of a call, by the members' names.
using SketchedCounter = std::pair<std::optional<double> CellCounters::*, double>;
inline CellCounters sketched_counters(std::size_t launches,
                                      const std::vector<SketchedCounter>& counted) {
  CellCounters counters;
  counters.launches = launches;
  for (const auto& [member, value] : counted) counters.*member = value;
  return counters;
}

// A cell that has no time to show.
inline CellRecord sketched_gap(std::string case_id, Shape shape, std::string provider,
                               CellStatus status, std::string reason = "") {
  CellRecord record;
  record.cell = {std::move(case_id), std::move(shape), DType::kF32, std::move(provider)};
  record.status = status;
  record.reason = std::move(reason);
  return record;
}

}  // namespace strobe::bench
