// What a tile costs over ten million slices, shaped like training: many streams, or one long row.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "strobe/analysis/timeline/tile.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::analysis {
namespace {

constexpr std::int64_t kSlices = 10'000'000;

// Kernels of a few microseconds with small gaps; one in a thousand is long.
Trace streams_of_kernels(int tracks) {
  TraceBuilder builder;
  std::vector<StringId> names;
  for (int i = 0; i < 200; ++i) names.push_back(builder.intern("kernel " + std::to_string(i)));
  const CategoryId category = builder.category("kernel");
  for (int i = 0; i < tracks; ++i) {
    Track track;
    track.kind = TrackKind::kDeviceStream;
    track.process = builder.intern("0");
    track.thread = builder.intern(std::to_string(i));
    track.device = 0;
    builder.add_track(track);
  }
  std::minstd_rand random(1);
  std::vector<std::int64_t> now_ns(static_cast<std::size_t>(tracks));
  for (std::int64_t i = 0; i < kSlices; ++i) {
    const auto track = static_cast<std::size_t>(i % tracks);
    now_ns[track] += static_cast<std::int64_t>(random() % 2'000);
    const std::int64_t length_ns =
        static_cast<std::int64_t>(random() % (random() % 1'000 == 0 ? 3'000'000 : 8'000));
    TraceBuilder::SliceRow row;
    row.start_ns = now_ns[track];
    row.duration_ns = length_ns;
    row.name = names[random() % names.size()];
    row.track = TrackId(track);
    row.category = category;
    row.kind = SliceKind::kKernel;
    builder.add_slice(row);
    now_ns[track] += length_ns;
  }
  return std::move(builder).build();
}

struct Drawing {
  explicit Drawing(int tracks) : trace(streams_of_kernels(tracks)), timeline(trace) {}
  Trace trace;
  Timeline timeline;
};

const Drawing& drawing_of(std::int64_t tracks) {
  static std::map<std::int64_t, std::unique_ptr<Drawing>> drawings;
  auto& drawing = drawings[tracks];
  if (!drawing) drawing = std::make_unique<Drawing>(static_cast<int>(tracks));
  return *drawing;
}

void build_timeline(benchmark::State& state) {
  const Drawing& drawing = drawing_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(Timeline(drawing.trace));
  state.SetItemsProcessed(state.iterations() * kSlices);
}
BENCHMARK(build_timeline)->Arg(80)->Arg(1)->Unit(benchmark::kMillisecond);

// Arguments: tracks, and which part of the trace is in the window: one in n.
void tile_of_1600_columns(benchmark::State& state) {
  const Drawing& drawing = drawing_of(state.range(0));
  const Interval all = drawing.timeline.extent();
  const std::int64_t length_ns = all.length_ns() / state.range(1);
  const std::int64_t start_ns = all.start_ns + (all.length_ns() - length_ns) / 3;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        make_tile(drawing.timeline,
                  {.window = {start_ns, start_ns + length_ns}, .columns = 1600, .tracks = {}}));
  }
}
BENCHMARK(tile_of_1600_columns)
    ->ArgsProduct({{80, 1}, {1, 2, 4, 8, 64, 1'000, 100'000}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strobe::analysis
