#include "strobe/bench/providers/cuda/floors.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "strobe/bench/providers/cuda/activity_recording.h"
#include "strobe/bench/providers/cuda/kernel_sources.h"
#include "strobe/bench/providers/cuda/recorder_window.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr int kBlocks = 12;
constexpr int kGraphNodes = 100;
constexpr int kReplays = 50;
constexpr int kLaunches = 100;

constexpr int kCounted = 20;

// An empty kernel that fills the device, as those do that compute something: a single block is
// begun and done sooner (H200, in a graph: 0.53 us, this one 0.66).
LaunchShape empty_shape(const CudaDevice& device) {
  constexpr unsigned kThreads = 1024;
  const auto of_sm = static_cast<unsigned>(device.facts().at("threads_per_sm")) / kThreads;
  const auto sms = static_cast<unsigned>(device.facts().at("sm_count"));
  return {.grid = {sms * std::max(1U, of_sm), 1, 1}, .block = {kThreads, 1, 1}};
}

Result<void> nothing(int) { return {}; }

// Has run once: the first launch is another.
Result<DeviceKernel> load_empty(CudaDevice& device) {
  STROBE_TRY(const std::vector<char> image,
             device.compile(std::string(sources::kEmpty), "strobe_empty"));
  STROBE_TRY(DeviceKernel empty, device.load(image, "strobe_empty", empty_shape(device)));
  STROBE_TRY_VOID(device.launch(empty, empty_shape(device), {}));
  STROBE_TRY_VOID(device.synchronize());
  return empty;
}

Result<double> median_of(DeviceClock& clock, const DeviceClock::Step& timed, int blocks = kBlocks,
                         int repetitions = DeviceClock::kMostRepetitions) {
  std::vector<double> all;
  for (int i = 0; i < blocks; ++i) {
    STROBE_TRY(const DeviceClock::Block block, clock.measure(repetitions, nothing, timed));
    all.insert(all.end(), block.elapsed_us.begin(), block.elapsed_us.end());
  }
  return stats::median_of(all);
}

Result<OwnedGraphExec> graph_of(CudaDevice& device, int nodes, const DeviceClock::Step& node) {
  STROBE_TRY_VOID(
      device.check(device.driver().stream_begin_capture(device.stream(), cu::kCaptureThreadLocal),
                   "cuStreamBeginCapture"));
  Result<void> queued;
  for (int i = 0; i < nodes && queued; ++i) queued = node(i);
  CuGraph handle = nullptr;
  const CuResult ended = device.driver().stream_end_capture(device.stream(), &handle);
  const OwnedGraph graph(device.driver(), handle);
  if (!queued) return queued.error();
  STROBE_TRY_VOID(device.check(ended, "cuStreamEndCapture"));
  CuGraphExec exec = nullptr;
  STROBE_TRY_VOID(
      device.check(device.driver().graph_instantiate(&exec, graph.get(), 0), "cuGraphInstantiate"));
  return OwnedGraphExec(device.driver(), exec);
}

// What a call takes between two events is some 0.16 us more or less by the stream that it runs on
// (H200), and every process gets other streams. Of 64 draws of one law the least and the most are
// 4.7 standard deviations apart, and two draws are no farther 999 times in 1000. The clock has
// steps (0.03 us): what lies one farther is not told apart either.
Result<double> stream_spread_us(DeviceClock& clock, const DeviceClock::Step& launch) {
  constexpr int kStreams = 64;
  constexpr int kCalls = 24;
  constexpr double kNothingUs = 1e-3;  // the last digits of a float of milliseconds
  CudaDevice& device = clock.device();
  std::vector<OwnedStream> streams;
  for (int i = 0; i < kStreams; ++i) {
    STROBE_TRY(OwnedStream stream, device.make_stream());
    streams.push_back(std::move(stream));
  }
  const auto median_here = [&]() -> Result<double> {
    STROBE_TRY_VOID(launch(0));  // the first is not held
    return median_of(clock, launch, kCalls, 1);
  };
  std::vector<double> medians;
  for (OwnedStream& stream : streams) {
    stream = device.use_stream(std::move(stream));
    const Result<double> median = median_here();
    stream = device.use_stream(std::move(stream));  // also after a failure
    if (!median) return median.error();
    medians.push_back(*median);
  }
  std::ranges::sort(medians);
  double step = 0;
  for (std::size_t i = 1; i < medians.size(); ++i) {
    const double apart = medians[i] - medians[i - 1];
    if (apart > kNothingUs && (step == 0 || apart < step)) step = apart;
  }
  return medians.back() - medians.front() + step;
}

// The host's time in a launch whose queue has room.
Result<double> launch_call_us(CudaDevice& device, const DeviceClock::Step& launch) {
  std::vector<double> each;
  for (int block = 0; block < kBlocks; ++block) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) STROBE_TRY_VOID(launch(i));
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;
    STROBE_TRY_VOID(device.synchronize());
    each.push_back(all.count() / kLaunches);
  }
  return stats::median_of(each);
}

// As a program meets it: an event, one replay, an event, on a device at rest. So the graph's own
// launch is in it, shared by its nodes.
Result<double> replay_us(CudaDevice& device, const DeviceClock::Step& replay) {
  STROBE_TRY(const OwnedEvent start, device.make_event());
  STROBE_TRY(const OwnedEvent end, device.make_event());
  const auto record = [&](const OwnedEvent& event) {
    return device.check(device.driver().event_record(event.get(), device.stream()),
                        "cuEventRecord");
  };
  std::vector<double> each;
  for (int i = 0; i < kReplays; ++i) {
    STROBE_TRY_VOID(record(start));
    STROBE_TRY_VOID(replay(i));
    STROBE_TRY_VOID(record(end));
    STROBE_TRY_VOID(device.synchronize());
    float ms = 0;
    STROBE_TRY_VOID(device.check(device.driver().event_elapsed_ms(&ms, start.get(), end.get()),
                                 "cuEventElapsedTime"));
    each.push_back(1e3 * static_cast<double>(ms));
  }
  return stats::median_of(each);
}

Result<std::optional<double>> recorded_us(CudaDevice& device, const DeviceClock::Step& launch) {
  STROBE_TRY(const CuptiApi cupti, device.cupti());
  STROBE_TRY(const std::unique_ptr<ActivityRecording> recording, ActivityRecording::start(cupti));
  for (int i = 0; i < kLaunches; ++i) STROBE_TRY_VOID(launch(i));
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY(const std::vector<KernelLaunch> kernels, recording->take());
  if (kernels.empty()) return std::optional<double>();
  std::vector<double> each;
  for (const KernelLaunch& kernel : kernels) each.push_back(*kernel.duration_us);
  return std::optional<double>(stats::median_of(each));
}

}  // namespace

Result<Floors> measure_cuda_floors(DeviceClock& clock) {
  CudaDevice& device = clock.device();
  STROBE_TRY(const DeviceKernel empty, load_empty(device));
  const auto launch = [&, shape = empty_shape(device)](int) {
    return device.launch(empty, shape, {});
  };

  Floors floors;
  STROBE_TRY(floors.event_pair, median_of(clock, nothing));
  STROBE_TRY(floors.empty_kernel_events, median_of(clock, launch));
  STROBE_TRY(const OwnedGraphExec graph, graph_of(device, kGraphNodes, launch));
  const auto replay = [&](int) {
    return device.check(device.driver().graph_launch(graph.get(), device.stream()),
                        "cuGraphLaunch");
  };
  STROBE_TRY_VOID(replay(0));
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY(const double whole_graph, replay_us(device, replay));
  floors.empty_kernel_graph = whole_graph / kGraphNodes;
  STROBE_TRY(floors.launch_call, launch_call_us(device, launch));
  STROBE_TRY(floors.stream_spread, stream_spread_us(clock, launch));
  // The last: CUPTI makes every later launch of this process dearer.
  if (const auto recorded = recorded_us(device, launch)) floors.empty_kernel_record = *recorded;
  return floors;
}

Result<void> run_empty_kernels_counted(CudaDevice& device) {
  STROBE_TRY(const DeviceKernel empty, load_empty(device));
  return run_in_window(
      device, [] { return Result<void>(); },
      [&]() -> Result<void> {
        for (int i = 0; i < kCounted; ++i) {
          STROBE_TRY_VOID(device.launch(empty, empty_shape(device), {}));
        }
        return {};
      });
}

}  // namespace strobe::bench
