#include "strobe/bench/providers/cuda/roofs.h"

#include <algorithm>
#include <array>
#include <string>

#include "strobe/bench/providers/cuda/kernel_sources.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kLeastBytes = std::size_t{1} << 24;
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
    bytes_ = kMostBytes;
    const std::optional<double> free = device_.free_bytes();
    while (free && bytes_ > kLeastBytes && 2.5 * static_cast<double>(bytes_) > *free) bytes_ /= 2;
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

  // Warm-up without a hold: it is also the first launch.
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

}  // namespace strobe::bench
