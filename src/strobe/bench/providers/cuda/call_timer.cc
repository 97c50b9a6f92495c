#include "strobe/bench/providers/cuda/call_timer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/cupti_recording.h"
#include "strobe/bench/providers/cuda/device.h"
#include "strobe/bench/providers/stop_watch.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

// As many repetitions as the samples, the queue and the time left allow, but at least one.
int repetitions_now(std::size_t samples_left, int most, double ms_left, double each_ms) {
  const double by_time = each_ms > 0 ? std::max(ms_left, 0.0) / each_ms : most;
  const double allowed = std::min(
      {static_cast<double>(samples_left), static_cast<double>(most), std::max(by_time, 1.0)});
  return std::max(1, static_cast<int>(allowed));
}

void add(SampleBlock& samples, const DeviceClock::Block& block, double share) {
  for (const double us : block.elapsed_us) samples.samples_us.push_back(us * share);
  if (block.sm_mhz > 0) samples.sm_mhz.resize(samples.samples_us.size(), block.sm_mhz);
}

double host_us(const std::vector<ApiCall>& calls) {
  double sum = 0;
  for (const ApiCall& call : calls) sum += call.us;
  return sum;
}

// One clock per sample, or none at all.
SampleBlock finished(SampleBlock samples) {
  if (samples.sm_mhz.size() != samples.samples_us.size()) samples.sm_mhz.clear();
  return samples;
}

}  // namespace

std::size_t CallTimer::sets_to_cover(double set_bytes, double l2_bytes) {
  return static_cast<std::size_t>(
      std::max(1.0, std::ceil(2 * l2_bytes / std::max(1.0, set_bytes))));
}

std::size_t CallTimer::places_for(double set_bytes) {
  constexpr double kMostPlaces = 16;
  constexpr double kMostBytes = 256e6;
  return static_cast<std::size_t>(
      std::clamp(kMostBytes / std::max(1.0, set_bytes), 1.0, kMostPlaces));
}

Result<SampleBlock> CallTimer::sample(const SampleRequest& request) {
  STROBE_TRY_VOID(prime());
  switch (request.mode) {
    case TimeMode::kDevice:
      return sample_device(request);
    case TimeMode::kCall:
      return sample_call(request);
    case TimeMode::kGraph:
      return sample_graph(request);
    case TimeMode::kActivity:
      return sample_activity(request);
    case TimeMode::kCpu:
      break;
  }
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = "a GPU cannot be timed in this mode",
               .where = "--mode",
               .hint = "one of device, graph, call, activity"};
}

// Without a hold: code that is loaded at its first launch would wait forever behind one.
Result<void> CallTimer::prime() {
  if (is_primed_) return {};
  timed_out_before_ = clock_.timed_out();
  if (flush_ == FlushKind::kRotate) STROBE_TRY_VOID(use_sets());
  if (flush_ == FlushKind::kCold || flush_ == FlushKind::kColdDirty) STROBE_TRY_VOID(use_places());
  for (std::size_t set = 0; set < std::max(sets_, places_); ++set) {
    STROBE_TRY_VOID(call_.enqueue(set));
  }
  STROBE_TRY_VOID(before(flush_));
  STROBE_TRY_VOID(clock_.device().synchronize());
  is_primed_ = true;
  return {};
}

Result<void> CallTimer::use_sets() {
  const std::size_t wanted =
      sets_to_cover(call_.set_bytes(), static_cast<double>(clock_.device().chip().l2_bytes));
  if (wanted > sets_) {
    STROBE_TRY_VOID(call_.make_sets(wanted));
    sets_ = wanted;
  }
  return {};
}

// One place is used if there is no memory for more.
Result<void> CallTimer::use_places() {
  const std::size_t wanted = places_for(call_.set_bytes());
  const Result<void> made = call_.make_sets(wanted);
  if (made) places_ = wanted;
  return made || made.error().code == ErrorCode::kOutOfMemory ? Result<void>() : made;
}

Result<void> CallTimer::before(FlushKind kind) { return clock_.flush().enqueue(kind); }

Result<void> CallTimer::enqueue_next() {
  if (flush_ == FlushKind::kHot) return call_.enqueue(0);
  const std::size_t set = next_set_;
  next_set_ = (next_set_ + 1) % (flush_ == FlushKind::kRotate ? sets_ : places_);
  return call_.enqueue(set);
}

// One call per hold: while the device fetches what is queued behind a call, that call takes up to
// 1.1 us more (H200), and the amount differs from process to process.
Result<DeviceClock::Block> CallTimer::measure_one(bool hold) {
  const auto prepare = [&](int) -> Result<void> {
    // For a hot cache, the call itself must have filled it.
    return flush_ == FlushKind::kHot ? call_.enqueue(0) : before(flush_);
  };
  const auto timed = [&](int) { return enqueue_next(); };
  return hold ? clock_.measure(1, prepare, timed) : clock_.measure_open(1, prepare, timed);
}

Result<SampleBlock> CallTimer::sample_device(const SampleRequest& request) {
  const StopWatch watch;
  SampleBlock samples;
  for (int i = 0; i < std::max(1, request.count); ++i) {
    if (i > 0 && watch.ms() >= request.budget_ms) break;
    STROBE_TRY(const DeviceClock::Block block, measure_one(request.hold));
    add(samples, block, 1);
  }
  return finished(std::move(samples));
}

Result<SampleBlock> CallTimer::sample_call(const SampleRequest& request) {
  const StopWatch watch;
  SampleBlock samples;
  for (int i = 0; i < std::max(1, request.count); ++i) {
    if (i > 0 && watch.ms() >= request.budget_ms) break;
    STROBE_TRY_VOID(before(flush_));
    STROBE_TRY_VOID(clock_.device().synchronize());
    const StopWatch call;
    STROBE_TRY_VOID(enqueue_next());
    const double enqueued_us = call.us();
    STROBE_TRY_VOID(clock_.device().synchronize());
    samples.samples_us.push_back(call.us());
    enqueue_us_.push_back(enqueued_us);
  }
  return samples;
}

Result<SampleBlock> CallTimer::sample_graph(const SampleRequest& request) {
  if (!graph_) STROBE_TRY_VOID(make_graph());
  const StopWatch watch;
  SampleBlock samples;
  const auto count = static_cast<std::size_t>(std::max(1, request.count));
  while (samples.samples_us.size() < count) {
    const double spent_ms = watch.ms();
    const double left_ms = request.budget_ms - spent_ms;
    if (!samples.samples_us.empty() && left_ms <= 0) break;
    const int repetitions = repetitions_now(count - samples.samples_us.size(),
                                            DeviceClock::kMostRepetitions, left_ms, replay_ms_);
    STROBE_TRY(const DeviceClock::Block block, replay(repetitions, request.hold));
    replay_ms_ = (watch.ms() - spent_ms) / static_cast<double>(block.elapsed_us.size());
    add(samples, block, 1.0 / graph_calls_);
  }
  return finished(std::move(samples));
}

// One call at a time: everything recorded between two idle moments belongs to the call.
Result<SampleBlock> CallTimer::sample_activity(const SampleRequest& request) {
  CudaDevice& device = clock_.device();
  STROBE_TRY(const CuptiApi cupti, device.cupti());
  STROBE_TRY(const std::unique_ptr<ActivityRecording> recording, ActivityRecording::start(cupti));
  const StopWatch watch;
  SampleBlock samples;
  for (int i = 0; i < std::max(1, request.count); ++i) {
    if (i > 0 && watch.ms() >= request.budget_ms) break;
    STROBE_TRY_VOID(before(flush_));
    STROBE_TRY_VOID(device.synchronize());
    STROBE_TRY_VOID(recording->take());
    STROBE_TRY_VOID(enqueue_next());
    STROBE_TRY_VOID(device.synchronize());
    STROBE_TRY(const std::vector<KernelLaunch> kernels, recording->take());
    if (kernels.empty()) {
      return Error{.code = ErrorCode::kTooLittleData,
                   .what = "CUPTI recorded no kernel of this call",
                   .where = "--mode activity",
                   .hint = "a profiler around strobe may take the records"};
    }
    kernel_times_.add(kernels);
    samples.samples_us.push_back(sum_us(kernels));
  }
  return samples;
}

Result<void> CallTimer::run_counted() {
  STROBE_TRY_VOID(prime());
  // A full round, so that the next set is the least recently used one.
  for (std::size_t i = 0; flush_ == FlushKind::kRotate && i < sets_; ++i) {
    STROBE_TRY_VOID(enqueue_next());
  }
  return run_in_window(
      clock_.device(),
      [&] { return flush_ == FlushKind::kHot ? call_.enqueue(0) : before(flush_); },
      [&] { return enqueue_next(); });
}

Result<DeviceClock::Block> CallTimer::replay(int repetitions, bool hold) {
  CudaDevice& device = clock_.device();
  const auto launch = [&](int) {
    return device.check(device.driver().graph_launch(graph_.get(), device.stream()),
                        "cuGraphLaunch");
  };
  if (can_hold_graph_ && hold) {
    STROBE_TRY(std::optional<DeviceClock::Block> block,
               clock_.try_measure(
                   repetitions, [](int) { return Result<void>(); }, launch));
    if (block) return std::move(*block);
    can_hold_graph_ = false;  // its nodes fill the queue: the host waits for the held device
  }
  return clock_.measure_chain(repetitions, launch);
}

Result<void> CallTimer::make_graph() {
  CudaDevice& device = clock_.device();
  const bool is_hot = flush_ == FlushKind::kHot;
  if (!is_hot) STROBE_TRY_VOID(use_sets());
  for (std::size_t set = 0; set < sets_; ++set) STROBE_TRY_VOID(call_.enqueue(set));
  STROBE_TRY_VOID(call_.poison_sets(sets_));
  STROBE_TRY_VOID(device.synchronize());

  const int sets = static_cast<int>(sets_);
  const int calls = sets * ((kLeastGraphCalls + sets - 1) / sets);  // every set equally often
  STROBE_TRY(const OwnedGraph graph, captured_graph(device, [&]() -> Result<void> {
               for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i) {
                 STROBE_TRY_VOID(call_.enqueue(i % sets_));
               }
               return {};
             }));
  CuGraphExec exec = nullptr;
  STROBE_TRY_VOID(
      device.check(device.driver().graph_instantiate(&exec, graph.get(), 0), "cuGraphInstantiate"));
  OwnedGraphExec ready(device.driver(), exec);
  STROBE_TRY_VOID(
      device.check(device.driver().graph_launch(ready.get(), device.stream()), "cuGraphLaunch"));
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY(const std::size_t written, call_.count_written_sets(sets_));
  if (written != sets_) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("a graph of {} calls wrote {} of its {} sets of buffers, so "
                                     "its times mean nothing",
                                     calls, written, sets_),
                 .where = device.name(),
                 .hint = ""};
  }
  const double l2_bytes = static_cast<double>(device.chip().l2_bytes);
  graph_note_ = fmt::format(
      "graph: {} calls on {} {} of buffers, all written by a replay, {:.1f} MB in all: {:.1f} "
      "times the L2 cache{}",
      calls, sets_, sets_ == 1 ? "set" : "sets", call_.set_bytes() * sets / 1e6,
      call_.set_bytes() * sets / l2_bytes, is_hot ? " (hot on purpose)" : "");
  const StopWatch watch;
  STROBE_TRY_VOID(
      device.check(device.driver().graph_launch(ready.get(), device.stream()), "cuGraphLaunch"));
  STROBE_TRY_VOID(device.synchronize());
  replay_ms_ = watch.ms();
  graph_ = std::move(ready);
  graph_calls_ = calls;
  return {};
}

// Returns the median of several calls by time, because any one may have been interrupted. The first
// call after recording is switched on pays for that and is left out.
Result<std::vector<ApiCall>> CallTimer::record_api_calls() {
  constexpr std::size_t kRecorded = 5;
  STROBE_TRY_VOID(prime());
  CudaDevice& device = clock_.device();
  STROBE_TRY(const CuptiApi cupti, device.cupti());
  STROBE_TRY(const std::unique_ptr<ApiRecording> recording, ApiRecording::start(cupti));
  STROBE_TRY_VOID(call_.enqueue(0));
  STROBE_TRY_VOID(device.synchronize());
  std::vector<std::vector<ApiCall>> recorded;
  for (std::size_t i = 0; i < kRecorded; ++i) {
    STROBE_TRY_VOID(recording->begin());
    STROBE_TRY_VOID(call_.enqueue(0));
    STROBE_TRY_VOID(recording->end());
    STROBE_TRY_VOID(device.synchronize());
    STROBE_TRY(std::vector<ApiCall> calls, recording->take());
    recorded.push_back(std::move(calls));
  }
  const auto middle = recorded.begin() + kRecorded / 2;
  std::ranges::nth_element(recorded, middle, {}, host_us);
  return std::move(*middle);
}

std::vector<std::string> CallTimer::notes() const {
  std::vector<std::string> notes;
  if (!enqueue_us_.empty()) {
    notes.push_back(fmt::format("call: queueing alone takes the host {:.2f} us (median of {})",
                                stats::median_of(enqueue_us_), enqueue_us_.size()));
  }
  if (!graph_note_.empty()) notes.push_back(graph_note_);
  if (graph_ && !can_hold_graph_) {
    notes.emplace_back("graph: too long for a held queue; replays were timed back to back");
  }
  if (is_primed_ && clock_.timed_out() > timed_out_before_) {
    notes.push_back(
        fmt::format("{} blocks were repeated: the host took more than 1 s to queue them",
                    clock_.timed_out() - timed_out_before_));
  }
  return notes;
}

}  // namespace strobe::bench
