#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/results/cell_record.h"

// Device times of calls, and the state of the L2 cache before each call.
namespace strobe::bench {

class CacheFlush {
 public:
  static Result<CacheFlush> make(CudaDevice& device, const std::string& cache_folder = "");

  // kCold: four times the cache is read; kColdDirty: zeros are written. Nothing for the others.
  Result<void> enqueue(FlushKind kind);

 private:
  explicit CacheFlush(CudaDevice& device) : device_(&device) {}
  Result<void> read(bool is_to_stay);
  Result<void> release();

  CudaDevice* device_;
  DeviceKernel read_kernel_;
  DeviceKernel release_kernel_;
  LaunchShape shape_;
  DeviceMemory buffer_;
  DeviceMemory sink_;
};

// Device times that do not depend on the host's speed. A one-thread kernel holds the queue while
// the host fills it; then everything runs back to back:
//
//   hold | before, event, timed, event | before, event, timed, event | ...
//        ^ released when all of it is queued
//
// Work queued behind a timed part makes it slower; where that matters, there is one repetition.
//
// Nothing that synchronises may be queued behind the hold. So kernels must have run once before: a
// driver loads code at its first launch and waits for the device. A profiler that makes every
// launch wait would wait for the hold, so under a profiler the queue is not held, and only the
// flush before each call lets the host run ahead.
class DeviceClock {
 public:
  static constexpr int kMostRepetitions = 16;
  static constexpr std::uint64_t kHoldLimitNs = 1'000'000'000;

  // Queues its part of repetition `i` and returns at once.
  using Step = std::function<Result<void>(int i)>;

  struct Block {
    std::vector<double> elapsed_us;  // of `timed`, one per repetition
    double sm_mhz = 0;               // after them; 0 if it could not be read
  };

  // Compiled code of its kernels is stored in that folder, if one is given.
  static Result<std::unique_ptr<DeviceClock>> make(CudaDevice& device,
                                                   const std::string& cache_folder = "",
                                                   bool hold = true);

  // Whether `measure` and `try_measure` hold the queue. The hold kernel is loaded, and run once,
  // when it is first needed.
  Result<void> hold_queue(bool hold);

  CudaDevice& device() { return device_; }
  CacheFlush& flush() { return flush_; }

  // Nothing if the hold timed out before it was released: its times are worthless.
  Result<std::optional<Block>> try_measure(int repetitions, const Step& before, const Step& timed);
  // With fewer repetitions while the hold times out; kTooLittleData if even one is too many.
  Result<Block> measure(int repetitions, const Step& before, const Step& timed);

  // The same without a hold, whatever hold_queue() says: to warm up, and for `measure` if nothing
  // may be held.
  Result<Block> measure_open(int repetitions, const Step& before, const Step& timed);

  // Without a hold: repeats `timed`, with an event after each. For work that cannot be queued
  // behind a hold and is long enough to hide the host.
  Result<Block> measure_chain(int repetitions, const Step& timed);

  int timed_out() const { return timed_out_; }  // holds that timed out

 private:
  struct Shared {  // accessed by host and device
    unsigned flag;
    unsigned timed_out;
    unsigned long long cycles;
    unsigned long long ns;
  };
  class Hold;

  DeviceClock(CudaDevice& device, CacheFlush flush, std::string cache_folder);
  Result<void> set_up();
  Result<void> load_hold();
  Result<void> queue_hold();
  Result<void> queue_clock();
  Result<void> record(std::size_t event);
  Result<std::vector<double>> elapsed(int pairs, std::size_t step);
  Result<void> queue_repetitions(int repetitions, const Step& before, const Step& timed);
  Result<Block> read_block(int pairs, std::size_t step);
  double read_clock() const;

  CudaDevice& device_;
  CacheFlush flush_;
  std::string cache_folder_;
  bool holds_ = false;
  DeviceKernel hold_kernel_;
  DeviceKernel clock_kernel_;
  MappedMemory memory_;
  Shared* shared_ = nullptr;
  std::vector<OwnedEvent> events_;
  int timed_out_ = 0;
};

}  // namespace strobe::bench
