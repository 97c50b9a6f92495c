#pragma once

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "strobe/bench/judge/run_diff.h"
#include "strobe/bench/measure/measure.h"
#include "tests/support/bench_sketch.h"
#include "tests/support/scripted_sampler.h"

// Runs with noise, to be compared with each other.
namespace strobe::bench {

inline Cell cell_number(std::size_t i) {
  return {"softmax", {{static_cast<std::int64_t>(i + 1), 128}}, DType::kF32, "cuda-fused"};
}

// Well measured: one percent of noise and as many samples as 20 ms of 30 us calls give.
inline BenchRun calm_run(std::size_t cells, std::uint64_t seed) {
  stats::Dice dice(seed);
  BenchRun run;
  for (std::size_t i = 0; i < cells; ++i) {
    run.cells.push_back(noisy_cell(cell_number(i), 30 + static_cast<double>(i % 7), 660, {}, dice));
  }
  return run;
}

// As the harness itself would stop: noise of half a percent to ten, calls of 3 us to 3 ms.
inline BenchRun measured_run(std::size_t cells, std::uint64_t seed, std::size_t spreads = 20,
                             const StopRule& stop = {}) {
  stats::Dice dice(seed);
  MeasureOptions options;
  options.stop = stop;
  BenchRun run;
  for (std::size_t i = 0; i < cells; ++i) {
    const double middle_us = 3 * std::pow(10.0, static_cast<double>(i % 4));
    const NoiseLaw law = {.spread = 0.005 * static_cast<double>(1 + i % spreads),
                          .interrupted = 0.02};
    ScriptedSampler sampler([&](const Call&) { return noisy_time(middle_us, law, dice); });
    Sampler* const contenders[] = {&sampler};
    CellRecord record;
    record.cell = cell_number(i);
    record.status = CellStatus::kOk;
    const Measured measured = measure(contenders, TimeMode::kDevice, options).front();
    record.times[TimeMode::kDevice] = measured.summary;
    if (measured.is_noisy) record.flags = {CellFlag::kNoisy};
    run.cells.push_back(std::move(record));
  }
  return run;
}

inline RunDiff diff_of(const BenchRun& before, const BenchRun& after, RunDiffOptions options = {}) {
  auto diff = diff_runs(before, after, options);
  EXPECT_TRUE(diff);
  return diff ? *diff : RunDiff{};
}

}  // namespace strobe::bench
