#include "strobe/bench/providers/cuda/limits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "strobe/bench/providers/cuda/cupti_recording.h"
#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/cuda/kernel_sources.h"
#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/providers/stop_watch.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr int kBlocks = 12;
constexpr int kGraphNodes = 100;
constexpr int kReplays = 50;
constexpr int kLaunches = 100;

constexpr int kCountedKernels = 20;

// An empty kernel that fills the device like a real kernel: a single block starts and ends sooner
// (H200, in a graph: 0.53 us, this one 0.66).
LaunchShape empty_shape(const CudaDevice& device) {
  constexpr unsigned kThreads = 1024;
  const auto of_sm = static_cast<unsigned>(device.facts().at("threads_per_sm")) / kThreads;
  const auto sms = static_cast<unsigned>(device.facts().at("sm_count"));
  return {.grid = {sms * std::max(1U, of_sm), 1, 1}, .block = {kThreads, 1, 1}};
}

Result<void> nothing(int) { return {}; }

// Runs it once, because the first launch takes longer.
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
  STROBE_TRY(const OwnedGraph graph, captured_graph(device, [&]() -> Result<void> {
               for (int i = 0; i < nodes; ++i) STROBE_TRY_VOID(node(i));
               return {};
             }));
  CuGraphExec exec = nullptr;
  STROBE_TRY_VOID(
      device.check(device.driver().graph_instantiate(&exec, graph.get(), 0), "cuGraphInstantiate"));
  return OwnedGraphExec(device.driver(), exec);
}

// The time of a call between two events varies by about 0.16 us with the stream (H200), and every
// process gets other streams. The range of 64 draws of one distribution is 4.7 standard deviations,
// and two draws differ by less in 999 of 1000 cases. The clock has steps (0.03 us), so one step is
// added.
Result<double> stream_spread_us(DeviceClock& clock, const DeviceClock::Step& launch) {
  constexpr int kStreams = 64;
  constexpr int kStreamCalls = 24;
  constexpr double kNothingUs = 1e-3;  // the last digits of a float of milliseconds
  CudaDevice& device = clock.device();
  std::vector<OwnedStream> streams;
  for (int i = 0; i < kStreams; ++i) {
    STROBE_TRY(OwnedStream stream, device.make_stream());
    streams.push_back(std::move(stream));
  }
  const auto median_here = [&]() -> Result<double> {
    STROBE_TRY_VOID(launch(0));  // the first launch is not held
    return median_of(clock, launch, kStreamCalls, 1);
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

// The host time of a launch while the queue has room.
Result<double> launch_call_us(CudaDevice& device, const DeviceClock::Step& launch) {
  std::vector<double> each;
  for (int block = 0; block < kBlocks; ++block) {
    const StopWatch watch;
    for (int i = 0; i < kLaunches; ++i) STROBE_TRY_VOID(launch(i));
    const double all_us = watch.us();
    STROBE_TRY_VOID(device.synchronize());
    each.push_back(all_us / kLaunches);
  }
  return stats::median_of(each);
}

// As a program would measure it: an event, one replay, an event, on an idle device. So the launch
// of the graph itself is included, divided by its nodes.
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
  // Last, because CUPTI slows every later launch in this process.
  if (const auto recorded = recorded_us(device, launch)) floors.empty_kernel_record = *recorded;
  return floors;
}

Result<void> run_empty_kernels_counted(CudaDevice& device) {
  STROBE_TRY(const DeviceKernel empty, load_empty(device));
  return run_in_window(
      device, [] { return Result<void>(); },
      [&]() -> Result<void> {
        for (int i = 0; i < kCountedKernels; ++i) {
          STROBE_TRY_VOID(device.launch(empty, empty_shape(device), {}));
        }
        return {};
      });
}

namespace {

constexpr std::size_t kMostBufferBytes = std::size_t{1} << 30;
constexpr std::size_t kLeastBufferBytes = std::size_t{1} << 24;
constexpr int kWarmUp = 4;
constexpr int kSamples = 12;

struct Candidate {
  const char* name;
  std::uint32_t threads;
  std::uint32_t unroll;
};
constexpr std::array<Candidate, 9> kCopies = {{{"strobe_copy_2", 512, 2},
                                               {"strobe_copy_4", 256, 4},
                                               {"strobe_copy_4", 512, 4},
                                               {"strobe_copy_4", 1024, 4},
                                               {"strobe_copy_8", 256, 8},
                                               {"strobe_copy_streamed_2", 512, 2},
                                               {"strobe_copy_streamed_4", 256, 4},
                                               {"strobe_copy_streamed_4", 512, 4},
                                               {"strobe_copy_streamed_8", 256, 8}}};
constexpr std::array<Candidate, 4> kReads = {{{"strobe_read_4", 512, 4},
                                              {"strobe_read_8", 256, 8},
                                              {"strobe_read_8", 512, 8},
                                              {"strobe_read_16", 256, 16}}};
constexpr std::array<Candidate, 4> kWrites = {{{"strobe_write_2", 512, 2},
                                               {"strobe_write_4", 256, 4},
                                               {"strobe_write_4", 512, 4},
                                               {"strobe_write_streamed_4", 512, 4}}};

class RoofMeter {
 public:
  explicit RoofMeter(DeviceClock& clock) : clock_(clock), device_(clock.device()) {}

  Result<void> set_up() {
    bytes_ = kMostBufferBytes;
    const std::optional<double> free = device_.free_bytes();
    while (free && bytes_ > kLeastBufferBytes && 2.5 * static_cast<double>(bytes_) > *free)
      bytes_ /= 2;
    STROBE_TRY(from_, device_.allocate(bytes_, "a buffer to copy from"));
    STROBE_TRY(to_, device_.allocate(bytes_, "a buffer to copy to"));
    STROBE_TRY_VOID(device_.fill_bytes(from_.address(), 0x3C, bytes_));
    STROBE_TRY_VOID(device_.fill_bytes(to_.address(), 0, bytes_));
    STROBE_TRY(image_, device_.compile(std::string(sources::kRoofs), "strobe_roofs"));
    return {};
  }

  Result<double> best_gbps(std::span<const Candidate> candidates, double moved) {
    double best = 0;
    for (const Candidate& candidate : candidates) {
      STROBE_TRY(const double gbps, kernel_gbps(candidate, moved));
      best = std::max(best, gbps);
    }
    return best;
  }

  Result<double> driver_copy_gbps() {
    return gbps_of(
        [&](int) {
          return device_.check(device_.driver().copy_on_device(to_.address(), from_.address(),
                                                               bytes_, device_.stream()),
                               "cuMemcpyDtoDAsync");
        },
        2);
  }

 private:
  Result<double> kernel_gbps(const Candidate& candidate, double moved) {
    LaunchShape shape;
    shape.block[0] = candidate.threads;
    shape.grid[0] =
        static_cast<std::uint32_t>(bytes_ / 16 / (candidate.threads * candidate.unroll));
    STROBE_TRY(const DeviceKernel kernel, device_.load(image_, candidate.name, shape));
    CuPointer to = to_.address();
    CuPointer from = from_.address();
    unsigned long long count = bytes_ / 16;
    const std::array<void*, 3> arguments = {&to, &from, &count};
    return gbps_of([&](int) { return device_.launch(kernel, shape, arguments); }, moved);
  }

  // Warm-up without a hold, because it is also the first launch.
  Result<double> gbps_of(const DeviceClock::Step& step, double moved) {
    for (int i = 0; i < kWarmUp; ++i) STROBE_TRY_VOID(step(i));
    STROBE_TRY_VOID(device_.synchronize());
    STROBE_TRY(const DeviceClock::Block block,
               clock_.measure(
                   kSamples, [](int) { return Result<void>(); }, step));
    const double us = stats::median_of(block.elapsed_us);
    return us > 0 ? moved * static_cast<double>(bytes_) / us / 1e3 : 0.0;
  }

  DeviceClock& clock_;
  CudaDevice& device_;
  std::size_t bytes_ = 0;
  DeviceMemory from_;
  DeviceMemory to_;
  std::vector<char> image_;
};

}  // namespace

Result<Roofs> measure_cuda_roofs(DeviceClock& clock) {
  RoofMeter meter(clock);
  STROBE_TRY_VOID(meter.set_up());
  Roofs roofs;
  STROBE_TRY(const double by_kernel, meter.best_gbps(kCopies, 2));
  STROBE_TRY(const double by_driver, meter.driver_copy_gbps());
  roofs.copy_gbps = std::max(by_kernel, by_driver);
  STROBE_TRY(roofs.read_gbps, meter.best_gbps(kReads, 1));
  STROBE_TRY(roofs.write_gbps, meter.best_gbps(kWrites, 1));
  return roofs;
}

Result<double> measure_gemm_tflops(const std::shared_ptr<CudaSession>& session,
                                   VendorLibraries& libraries) {
  constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;
  constexpr double kMuchRoom = 2e9;
  CudaDevice& device = session->device();
  STROBE_TRY(const std::shared_ptr<CublasLtLibrary> library, libraries.cublaslt(session));
  STROBE_TRY(DeviceClock* const clock, session->clock());
  STROBE_TRY(InputFill* const fill, session->input_fill());
  const std::int64_t side = session->free_bytes().value_or(0) > kMuchRoom ? 8192 : 2048;
  const std::int64_t elements = side * side;
  const auto bytes = static_cast<std::size_t>(elements * bytes_of(DType::kBf16));

  STROBE_TRY(Gemm gemm,
             Gemm::make(library->api(), library->handle(),
                        {.m = side, .n = side, .k = side, .dtype = DType::kBf16}, kMostWorkspace));
  GemmStep step(library, std::move(gemm), {"left", "right", "", "out"});
  STROBE_TRY(const DeviceMemory workspace, device.allocate(step.workspace_bytes(), "a workspace"));
  STROBE_TRY(const PooledMemory memory, session->memory().take(3 * bytes, "three matrices"));
  const CuPointer left = memory.address();
  for (std::uint32_t i = 0; i < 2; ++i) {  // zeros would be too fast
    STROBE_TRY_VOID(fill->enqueue({.address = left + i * bytes, .elements = elements, .number = i},
                                  DType::kBf16, InputLaw::kNormal, 1, side));
  }
  STROBE_TRY_VOID(step.bind(
      [&](std::string_view name) {
        return name == "left" ? left : name == "right" ? left + bytes : left + 2 * bytes;
      },
      workspace.address()));
  constexpr bool kMayTune = true;
  STROBE_TRY(TunedStep tuned, tune_step(*clock, step, kMayTune));
  // A single algorithm needs no tuning, and is not timed by it.
  if (tuned.us <= 0) {
    STROBE_TRY(tuned.us, time_step(*clock, step, tuned.choice));
  }
  if (tuned.us <= 0) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "a product takes less time than the clock can measure",
                 .where = library->api().version_text(),
                 .hint = ""};
  }
  const auto length = static_cast<double>(side);
  return 2 * length * length * length / tuned.us / 1e6;
}

}  // namespace strobe::bench
