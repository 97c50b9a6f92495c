#include "strobe/base/interval.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

namespace strobe {
namespace {

std::vector<Interval> kernels(std::size_t count, bool sorted) {
  std::mt19937_64 random(1);
  std::vector<Interval> intervals;
  std::int64_t now_ns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now_ns += static_cast<std::int64_t>(random() % 3000);
    intervals.push_back({now_ns, now_ns + static_cast<std::int64_t>(random() % 4000)});
  }
  if (!sorted) std::shuffle(intervals.begin(), intervals.end(), random);
  return intervals;
}

void union_of_sorted(benchmark::State& state) {
  const auto intervals = kernels(static_cast<std::size_t>(state.range(0)), true);
  for (auto _ : state) benchmark::DoNotOptimize(union_of(intervals));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(union_of_sorted)->Arg(1'000)->Arg(1'000'000);

void union_of_shuffled(benchmark::State& state) {
  const auto intervals = kernels(static_cast<std::size_t>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(union_of(intervals));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(union_of_shuffled)->Arg(1'000)->Arg(1'000'000);

void intersection_of_two_streams(benchmark::State& state) {
  const auto a = union_of(kernels(static_cast<std::size_t>(state.range(0)), true));
  auto b = a;
  for (Interval& interval : b) interval = {interval.start_ns + 700, interval.end_ns + 700};
  for (auto _ : state) benchmark::DoNotOptimize(intersection_of(a, b));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(intersection_of_two_streams)->Arg(1'000'000);

}  // namespace
}  // namespace strobe
