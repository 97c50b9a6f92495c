#include "strobe/bench/providers/cuda/device_clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/kernel_sources.h"
#include "strobe/bench/providers/cuda/loaded_program.h"

namespace strobe::bench {
Result<CacheFlush> CacheFlush::make(CudaDevice& device, const std::string& cache_folder) {
  CacheFlush flush(device);
  flush.shape_.grid[0] = static_cast<std::uint32_t>(device.chip().sm_count) * 4;
  flush.shape_.block[0] = 512;
  const auto load = [&](std::string_view source, const char* name) -> Result<DeviceKernel> {
    STROBE_TRY(const KernelCode code,
               find_or_compile(device, std::string(source), name, cache_folder));
    return device.load(code.image, name, flush.shape_);
  };
  STROBE_TRY(flush.read_kernel_, load(sources::kFlush, "strobe_flush"));
  STROBE_TRY(flush.release_kernel_, load(sources::kRelease, "strobe_release"));
  STROBE_TRY(flush.buffer_, device.allocate(2 * static_cast<std::size_t>(device.chip().l2_bytes),
                                            "a buffer to flush the L2 cache with"));
  STROBE_TRY(flush.sink_, device.allocate(16, "a word"));
  STROBE_TRY_VOID(device.fill_bytes(flush.buffer_.address(), 0, flush.buffer_.bytes));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kCold));
  STROBE_TRY_VOID(flush.enqueue(FlushKind::kColdDirty));
  STROBE_TRY_VOID(device.synchronize());
  return flush;
}

Result<void> CacheFlush::read(bool is_to_stay) {
  CuPointer data = buffer_.address();
  unsigned long long count = buffer_.bytes / 16;
  CuPointer sink = sink_.address();
  int stays = is_to_stay ? 1 : 0;
  const std::array<void*, 4> arguments = {&data, &count, &sink, &stays};
  return device_->launch(read_kernel_, shape_, arguments);
}

Result<void> CacheFlush::release() {
  CuPointer data = buffer_.address();
  unsigned long long count = buffer_.bytes / 16;
  const std::array<void*, 2> arguments = {&data, &count};
  return device_->launch(release_kernel_, shape_, arguments);
}

Result<void> CacheFlush::enqueue(FlushKind kind) {
  switch (kind) {
    case FlushKind::kCold:
      // Lines that a kernel read with the priority to stay are evicted only by lines that have it,
      // too. At the end no line has it, and the last lines came from memory, as usual.
      STROBE_TRY_VOID(read(true));
      STROBE_TRY_VOID(release());
      return read(false);
    case FlushKind::kColdDirty:
      return device_->fill_bytes(buffer_.address(), 0, buffer_.bytes);
    case FlushKind::kRotate:
    case FlushKind::kHot:
      return {};
  }
  return {};
}

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

// Releases a held device whatever happens while the queue is filled.
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

// It runs once, with its flag already set.
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

// From event i * step to the next event.
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

// The clock is read only now: whatever is queued behind a call makes it slower.
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
                   "alone cannot be measured",
               .where = device_.name(),
               .hint =
                   "a debugger or profiler may make every launch wait, or a call waits for the "
                   "device itself; `--profile` holds no queue, `--mode call` needs none"};
}

Result<DeviceClock::Block> DeviceClock::measure_chain(int repetitions, const Step& timed) {
  repetitions = std::clamp(repetitions, 1, 2 * kMostRepetitions - 1);
  Result<void> queued = timed(0);
  if (queued) queued = record(0);
  for (int i = 0; i < repetitions && queued; ++i) {
    queued = timed(i);
    if (queued) queued = record(static_cast<std::size_t>(i + 1));
  }
  // Also after a failure: nothing may be left in the queue.
  const Result<void> finished = device_.synchronize();
  if (!queued) return queued.error();
  if (!finished) return finished.error();
  return read_block(repetitions, 1);
}

}  // namespace strobe::bench
