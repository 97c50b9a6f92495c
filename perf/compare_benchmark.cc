// The cost of comparing two runs that are already loaded: ten million slices, and the real pair of
// 36 MB traces next to the sources, if it exists.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/measure/function_times.h"
#include "strobe/compare/measure/metric_cycles.h"
#include "strobe/readers/run_reader.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::compare {
namespace {

constexpr std::int64_t kSlices = 10'000'000;
constexpr std::int64_t kCycles = 50;
constexpr int kMetrics = 10;

enum Layout : std::int64_t { kByTime, kByStream };

// 200 kernels of a few microseconds over some streams, in order of time as profilers write them, or
// one stream after the other; ten metrics sampled a hundred times a second.
RankCapture kernels_on(std::int64_t streams, Layout layout) {
  TraceBuilder builder;
  std::vector<StringId> names;
  for (int i = 0; i < 200; ++i) names.push_back(builder.intern("kernel " + std::to_string(i)));
  const CategoryId category = builder.category("kernel");
  for (std::int64_t i = 0; i < streams; ++i) {
    Track track;
    track.kind = TrackKind::kDeviceStream;
    track.process = builder.intern("0");
    track.thread = builder.intern(std::to_string(i));
    track.device = 0;
    builder.add_track(track);
  }
  std::minstd_rand random(1);
  std::vector<TraceBuilder::SliceRow> rows;
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    std::int64_t now_ns = 0;
    for (std::int64_t i = 0; i < kSlices / streams; ++i) {
      now_ns += static_cast<std::int64_t>(random() % 2'000);
      TraceBuilder::SliceRow row;
      row.start_ns = now_ns;
      row.duration_ns = static_cast<std::int64_t>(random() % 8'000);
      row.name = names[random() % names.size()];
      row.track = TrackId(static_cast<std::size_t>(stream));
      row.category = category;
      row.kind = SliceKind::kKernel;
      rows.push_back(row);
      now_ns += row.duration_ns;
    }
  }
  if (layout == kByTime) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  }
  for (const auto& row : rows) builder.add_slice(row);
  RankCapture capture;
  capture.trace = std::make_shared<const Trace>(std::move(builder).build());
  for (int metric = 0; metric < kMetrics; ++metric) {
    MetricSeries series;
    series.device = "GPU 0";
    series.metric = "metric " + std::to_string(metric);
    for (std::int64_t t = 0; t < capture.trace->extent().end_ns; t += 10'000'000) {
      series.times_ns.push_back(t);
      series.values.push_back(static_cast<double>(random() % 100));
    }
    capture.metrics.push_back(std::move(series));
  }
  return capture;
}

struct Prepared {
  Prepared(std::int64_t streams, Layout layout) : capture(kernels_on(streams, layout)) {
    const Interval extent = capture.trace->extent();
    const std::int64_t length_ns = extent.length_ns() / kCycles;
    for (std::int64_t i = 0; i < kCycles; ++i) {
      list.cycles.push_back(
          {{extent.start_ns + i * length_ns, extent.start_ns + (i + 1) * length_ns},
           "",
           {},
           false});
    }
  }
  RankCapture capture;
  analysis::CycleList list;
  TimeParts cycles() const { return TimeParts(list.cycles); }
  FunctionIndex index() const {
    return index_functions(*capture.trace, {}, capture.trace->extent());
  }
};

const Prepared& prepared(const benchmark::State& state) {
  static std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<Prepared>> all;
  auto& one = all[{state.range(0), state.range(1)}];
  if (!one) one = std::make_unique<Prepared>(state.range(0), Layout{state.range(1)});
  return *one;
}

// Finds the function, cycle and duration of everything.
void function_times(benchmark::State& state) {
  const Prepared& input = prepared(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(add_up_functions(*input.capture.trace, input.index(), input.cycles()));
  }
  state.SetItemsProcessed(state.iterations() * kSlices);
}
// Arguments: streams, layout.
BENCHMARK(function_times)
    ->Args({1, kByTime})
    ->Args({8, kByTime})
    ->Args({8, kByStream})
    ->Unit(benchmark::kMillisecond);

void ten_metrics(benchmark::State& state) {
  const Prepared& input = prepared(state);
  const FunctionIndex index = input.index();
  const FunctionTimes times = add_up_functions(*input.capture.trace, index, input.cycles());
  for (auto _ : state) {
    benchmark::DoNotOptimize(average_metrics(input.capture, index, times.devices, input.cycles()));
  }
  state.SetItemsProcessed(state.iterations() * kSlices * kMetrics);
}
BENCHMARK(ten_metrics)->Args({1, kByTime})->Args({8, kByTime})->Unit(benchmark::kMillisecond);

// 5,000 functions with ten metrics each, 15 cycles a side.
SideFacts side_of_many(unsigned seed) {
  std::minstd_rand random(seed);
  constexpr std::size_t kSideCycles = 15;
  const auto noise = [&] { return static_cast<double>(random() % 1'000'000); };
  SideFacts side;
  RankMeasure& measure = side.ranks.emplace_back();
  for (std::size_t i = 0; i < kSideCycles; ++i) {
    const auto start_ns = static_cast<std::int64_t>(i) * 100'000'000;
    measure.cycles.cycles.push_back({{start_ns, start_ns + 100'000'000}, "", {}, false});
  }
  for (std::size_t i = 0; i < kMetrics; ++i) {
    SeriesCycles series;
    series.device = "GPU 0";
    series.metric = "metric " + std::to_string(i);
    series.mean = series.busy_mean = std::vector<double>(kSideCycles, 1);
    measure.series.push_back(std::move(series));
  }
  for (std::size_t function = 0; function < 5'000; ++function) {
    FunctionCycles times;
    times.key = {"kernel " + std::to_string(100'000 + function), FunctionKind::kKernel, "GPU 0"};
    times.calls.assign(kSideCycles, 1);
    for (std::size_t i = 0; i < kSideCycles; ++i) {
      times.time_ns.push_back(static_cast<std::int64_t>(noise()));
    }
    times.covered_ns = times.time_ns;
    measure.functions.push_back(std::move(times));
    for (std::size_t series = 0; series < kMetrics; ++series) {
      MetricCycles metric{function,
                          series,
                          {},
                          std::vector<double>(kSideCycles),
                          std::vector<double>(kSideCycles, 1)};
      for (std::size_t i = 0; i < kSideCycles; ++i) metric.mean.push_back(noise());
      measure.metrics.push_back(std::move(metric));
    }
  }
  return side;
}

void fifty_thousand_triplets(benchmark::State& state) {
  const SideFacts normal = side_of_many(1);
  const SideFacts abnormal = side_of_many(2);
  for (auto _ : state) benchmark::DoNotOptimize(compare_measures(normal, abnormal, {}, {}));
}
BENCHMARK(fifty_thousand_triplets)->Unit(benchmark::kMillisecond);

void real_pair(benchmark::State& state) {
  const std::filesystem::path folder = STROBE_SOURCE_DIR "/../shared/traces/h200_serve";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("the pair is not here");
  const auto normal = readers::read_run(folder / "normal", {}, {});
  const auto abnormal = readers::read_run(folder / "gpu_contention", {}, {});
  if (!normal || !abnormal) return state.SkipWithError("the pair cannot be read");
  for (auto _ : state) benchmark::DoNotOptimize(compare_runs(*normal, *abnormal));
}
BENCHMARK(real_pair)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strobe::compare
