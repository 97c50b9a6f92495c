#include "strobe/bench/providers/cuda/device_clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "strobe/bench/providers/cuda/kernel_code.h"
#include "strobe/bench/providers/cuda/kernel_sources.h"

namespace strobe::bench {
namespace {

constexpr LaunchShape kOneThread = {};

Result<DeviceKernel> one_thread_kernel(CudaDevice& device, std::string_view source,
                                       const std::string& name, const std::string& folder) {
  STROBE_TRY(const KernelCode code, find_or_compile(device, std::string(source), name, folder));
  return device.load(code.image, name, kOneThread);
}

void store(unsigned& word, unsigned value) {
  std::atomic_ref<unsigned>(word).store(value, std::memory_order_seq_cst);
}

}  // namespace

// Whatever happens while the queue is filled, a held device is released.
class DeviceClock::Hold {
 public:
  explicit Hold(Shared& shared) : shared_(shared) {}
  ~Hold() { release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void release() {
    if (!std::exchange(is_released_, true)) store(shared_.flag, 1);
  }

 private:
  Shared& shared_;
  bool is_released_ = false;
};

DeviceClock::DeviceClock(CudaDevice& device, CacheFlush flush, std::string cache_folder)
    : device_(device), flush_(std::move(flush)), cache_folder_(std::move(cache_folder)) {}

Result<std::unique_ptr<DeviceClock>> DeviceClock::make(CudaDevice& device,
                                                       const std::string& cache_folder, bool hold) {
  STROBE_TRY(CacheFlush flush, CacheFlush::make(device, cache_folder));
  std::unique_ptr<DeviceClock> clock(new DeviceClock(device, std::move(flush), cache_folder));
  STROBE_TRY_VOID(clock->set_up());
  STROBE_TRY_VOID(clock->hold_queue(hold));
  return clock;
}

// Every kernel runs once.
Result<void> DeviceClock::set_up() {
  STROBE_TRY(memory_, device_.allocate_mapped(sizeof(Shared)));
  shared_ = new (memory_.host.get()) Shared{.flag = 1, .timed_out = 0, .cycles = 0, .ns = 0};
  STROBE_TRY(clock_kernel_,
             one_thread_kernel(device_, sources::kClock, "strobe_clock", cache_folder_));
  for (int i = 0; i < 2 * kMostRepetitions; ++i) {
    STROBE_TRY(OwnedEvent event, device_.make_event());
    events_.push_back(std::move(event));
  }
  STROBE_TRY_VOID(queue_clock());
  for (std::size_t i = 0; i < events_.size(); ++i) STROBE_TRY_VOID(record(i));
  return device_.synchronize();
}

// It runs once, with its flag already raised.
Result<void> DeviceClock::load_hold() {
  if (hold_kernel_.function != nullptr) return {};
  STROBE_TRY(hold_kernel_,
             one_thread_kernel(device_, sources::kHold, "strobe_hold", cache_folder_));
  STROBE_TRY_VOID(queue_hold());
  return device_.synchronize();
}

Result<void> DeviceClock::hold_queue(bool hold) {
  if (hold) STROBE_TRY_VOID(load_hold());
  holds_ = hold;
  return {};
}

Result<void> DeviceClock::queue_hold() {
  CuPointer flag = memory_.device + offsetof(Shared, flag);
  CuPointer timed_out = memory_.device + offsetof(Shared, timed_out);
  unsigned long long limit_ns = kHoldLimitNs;
  const std::array<void*, 3> arguments = {&flag, &timed_out, &limit_ns};
  return device_.launch(hold_kernel_, kOneThread, arguments);
}

Result<void> DeviceClock::queue_clock() {
  CuPointer cycles_and_ns = memory_.device + offsetof(Shared, cycles);
  const std::array<void*, 1> arguments = {&cycles_and_ns};
  return device_.launch(clock_kernel_, kOneThread, arguments);
}

double DeviceClock::read_clock() const {
  return shared_->ns == 0
             ? 0
             : 1e3 * static_cast<double>(shared_->cycles) / static_cast<double>(shared_->ns);
}

Result<void> DeviceClock::record(std::size_t event) {
  return device_.check(device_.driver().event_record(events_[event].get(), device_.stream()),
                       "cuEventRecord");
}

Result<void> DeviceClock::queue_repetitions(int repetitions, const Step& before,
                                            const Step& timed) {
  for (int i = 0; i < repetitions; ++i) {
    const auto pair = static_cast<std::size_t>(2 * i);
    STROBE_TRY_VOID(before(i));
    STROBE_TRY_VOID(record(pair));
    STROBE_TRY_VOID(timed(i));
    STROBE_TRY_VOID(record(pair + 1));
  }
  return {};
}

// Event i * step to the one after it.
Result<std::vector<double>> DeviceClock::elapsed(int pairs, std::size_t step) {
  std::vector<double> times;
  for (int i = 0; i < pairs; ++i) {
    const std::size_t first = static_cast<std::size_t>(i) * step;
    float ms = 0;
    STROBE_TRY_VOID(device_.check(
        device_.driver().event_elapsed_ms(&ms, events_[first].get(), events_[first + 1].get()),
        "cuEventElapsedTime"));
    times.push_back(1e3 * static_cast<double>(ms));
  }
  return times;
}

Result<std::optional<DeviceClock::Block>> DeviceClock::try_measure(int repetitions,
                                                                   const Step& before,
                                                                   const Step& timed) {
  if (!holds_) {
    STROBE_TRY(Block block, measure_open(repetitions, before, timed));
    return std::optional<Block>(std::move(block));
  }
  repetitions = std::clamp(repetitions, 1, kMostRepetitions);
  store(shared_->timed_out, 0);
  store(shared_->flag, 0);
  Result<void> queued;
  {
    Hold hold(*shared_);
    STROBE_TRY_VOID(queue_hold());
    queued = queue_repetitions(repetitions, before, timed);
    hold.release();
  }
  // Also after a failure: nothing may be left in the queue.
  const Result<void> finished = device_.synchronize();
  if (!queued) return queued.error();
  if (!finished) return finished.error();
  if (std::atomic_ref<unsigned>(shared_->timed_out).load() != 0) {
    ++timed_out_;
    return std::optional<Block>();
  }
  STROBE_TRY(Block block, read_block(repetitions, 2));
  return std::optional<Block>(std::move(block));
}

// The clock only now: whatever is queued behind a call makes it slower.
Result<DeviceClock::Block> DeviceClock::read_block(int pairs, std::size_t step) {
  STROBE_TRY_VOID(queue_clock());
  STROBE_TRY_VOID(device_.synchronize());
  Block block;
  STROBE_TRY(block.elapsed_us, elapsed(pairs, step));
  block.sm_mhz = read_clock();
  return block;
}

Result<DeviceClock::Block> DeviceClock::measure_open(int repetitions, const Step& before,
                                                     const Step& timed) {
  repetitions = std::clamp(repetitions, 1, kMostRepetitions);
  const Result<void> queued = queue_repetitions(repetitions, before, timed);
  const Result<void> finished = device_.synchronize();
  if (!queued) return queued.error();
  if (!finished) return finished.error();
  return read_block(repetitions, 2);
}

Result<DeviceClock::Block> DeviceClock::measure(int repetitions, const Step& before,
                                                const Step& timed) {
  for (int now = repetitions; now >= 1; now /= 2) {
    STROBE_TRY(std::optional<Block> block, try_measure(now, before, timed));
    if (block) return std::move(*block);
  }
  return Error{.code = ErrorCode::kTooLittleData,
               .what =
                   "the host needs more than 1 s to queue one call, so its time on the device "
                   "alone cannot be told",
               .where = device_.name(),
               .hint =
                   "a debugger or profiler may make every launch wait, or a call waits for the "
                   "device itself; `--profile` holds no queue, `--mode call` needs none"};
}

Result<DeviceClock::Block> DeviceClock::measure_chain(int repetitions, const Step& timed) {
  repetitions = std::clamp(repetitions, 1, 2 * kMostRepetitions - 1);
  STROBE_TRY_VOID(timed(0));
  STROBE_TRY_VOID(record(0));
  for (int i = 0; i < repetitions; ++i) {
    STROBE_TRY_VOID(timed(i));
    STROBE_TRY_VOID(record(static_cast<std::size_t>(i + 1)));
  }
  STROBE_TRY_VOID(device_.synchronize());
  return read_block(repetitions, 1);
}

}  // namespace strobe::bench
