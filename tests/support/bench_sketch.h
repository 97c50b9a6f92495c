#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "strobe/bench/measure/summary.h"
#include "strobe/bench/providers/provider.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/stats/dice.h"

// Builds cells and runs of benchmarks, one line each.
namespace strobe::bench {

inline PrepareRequest cell_request(std::string case_id, Shape shape, DType dtype = DType::kF32) {
  PrepareRequest request;
  request.cell = {std::move(case_id), std::move(shape), dtype, "cpu"};
  return request;
}

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

// The counters of a call, by the members' names.
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

// The distribution of device times: a sharp lower edge, a tail to the right, and sometimes an
// interrupted call.
struct NoiseLaw {
  double spread = 0.01;       // of the logarithm
  double interrupted = 0.01;  // share of calls that take a third longer
};

inline double noisy_time(double middle_us, const NoiseLaw& law, stats::Dice& dice) {
  // A gamma variate of shape 4 has deviation 2 and median 3.67.
  const double skewed = (dice.gamma(4) - 3.67) / 2;
  const double factor = std::exp(law.spread * skewed);
  return middle_us * factor * (dice.share() < law.interrupted ? 1.3 : 1);
}

inline CellRecord noisy_cell(Cell cell, double middle_us, std::size_t n, const NoiseLaw& law,
                             stats::Dice& dice) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) samples.push_back(noisy_time(middle_us, law, dice));
  CellRecord record;
  record.cell = std::move(cell);
  record.status = CellStatus::kOk;
  record.times[TimeMode::kDevice] = summarise(std::move(samples));
  return record;
}

}  // namespace strobe::bench
