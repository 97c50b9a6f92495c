#include "strobe/record/inject/recorder.h"

#include <cstring>

#include "strobe/wire/record_settings.h"

namespace strobe::record {
namespace {

// Reading out costs more than measuring an unwanted kernel: the counters are stopped only for a
// longer row of unwanted launches.
constexpr unsigned kLaunchesMeasuredInPassing = 4;
constexpr std::chrono::seconds kPatienceAtTheEnd{5};
constexpr char kNoName[] = "(unnamed)";

std::int64_t unix_now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// The state of a thread between the beginning and the end of a launch.
struct Recorder::Ticket {
  ContextProfiler* profiler = nullptr;  // its mutex is held
  bool is_wanted = false;
  bool is_isolated = false;
  bool is_graph = false;
  std::uint64_t index = 0;
  LaunchKind kind = 0;
  std::int64_t launched_unix_ns = 0;
};
thread_local Recorder::Ticket Recorder::the_ticket;

void Recorder::give_up(wire::Obstacle what, const std::string& text, int result) noexcept {
  writer_.obstacle(what, text, result, 0, true);
  writer_.finish();
  has_ended_ = true;
}

bool Recorder::open(CUpti_CallbackFunc listener, void (*see_to_the_end)()) noexcept {
  see_to_the_end_ = see_to_the_end;
  process_ = ::getpid();
  settings_ = read_settings();
  if (settings_.folder.empty()) return false;
  if (!writer_.open(settings_.folder + "/" + std::to_string(process_) + wire::kRecordingSuffix)) {
    return false;
  }
  for (const std::string& metric : settings_.metrics) writer_.metric(metric);
  writer_.flush();
  if (const std::string wrong = filter_.configure(settings_);
      settings_.problem.empty() && !wrong.empty()) {
    settings_.problem = "'" + wrong + "' is not a regular expression";
  }
  if (!settings_.problem.empty()) {
    give_up(wire::Obstacle::kBadSettings, settings_.problem);
    return false;
  }
  std::string problem;
  switch (load_cupti(settings_.cupti_path, cupti_, problem)) {
    case CuptiLoad::kNotFound:
      give_up(wire::Obstacle::kNoLibrary, problem);
      return false;
    case CuptiLoad::kTooOld:
      give_up(wire::Obstacle::kOldLibrary, problem);
      return false;
    case CuptiLoad::kLoaded:
      break;
  }
  driver_ = load_driver();
  writer_.header().cupti_version = cupti_.version;
  if (int version = 0;
      driver_.driver_version != nullptr && driver_.driver_version(&version) == CUDA_SUCCESS) {
    writer_.header().driver_version = static_cast<std::uint32_t>(version);
  }
  writer_.obstacle(wire::Obstacle::kNote, "counters come from " + cupti_.path);
  return subscribe(listener);
}

bool Recorder::subscribe(CUpti_CallbackFunc listener) noexcept {
  const CUptiResult result = cupti_.cuptiSubscribe(&subscriber_, listener, nullptr);
  if (result != CUPTI_SUCCESS) {
    give_up(obstacle_of(result, wire::Obstacle::kSetup),
            "cuptiSubscribe: " + result_text(cupti_, result), static_cast<int>(result));
    return false;
  }
  const auto listen = [this](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    return cupti_.cuptiEnableCallback(1, subscriber_, domain, id);
  };
  for (const auto call : kLaunchCalls) {
    const CUptiResult heard = listen(CUPTI_CB_DOMAIN_DRIVER_API, call);
    if (heard != CUPTI_SUCCESS) {
      writer_.obstacle(wire::Obstacle::kNote,
                       "cannot listen to launch call " + std::to_string(static_cast<int>(call)) +
                           ": " + result_text(cupti_, heard),
                       static_cast<int>(heard));
    }
  }
  listen(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  if (settings_.has_windows) {
    listen(CUPTI_CB_DOMAIN_DRIVER_API, kWindowBegins);
    listen(CUPTI_CB_DOMAIN_DRIVER_API, kWindowEnds);
  }
  for (const CUpti_CallbackId complaint :
       {CUPTI_CBID_STATE_FATAL_ERROR, CUPTI_CBID_STATE_ERROR, CUPTI_CBID_STATE_WARNING}) {
    listen(CUPTI_CB_DOMAIN_STATE, complaint);
  }
  return true;
}

ContextProfiler& Recorder::profiler_of(CUcontext context) noexcept {
  const std::lock_guard lock(contexts_mutex_);
  std::unique_ptr<ContextProfiler>& profiler = contexts_[context];
  if (profiler == nullptr) {
    profiler = std::make_unique<ContextProfiler>(
        ContextProfiler::Parts{&cupti_, &driver_, &settings_, &writer_, &window_}, context);
  }
  return *profiler;
}

// Such a launch only adds to a graph, and a stream that is being captured must not be waited for.
bool Recorder::is_capturing(const LaunchCall& call) noexcept {
  if (driver_.stream_is_capturing == nullptr) return false;
  const CUstream stream =
      call.stream == nullptr && call.is_per_thread ? CU_STREAM_PER_THREAD : call.stream;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver_.stream_is_capturing(stream, &status);
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return true;
  return result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Recorder::judge(Ticket& ticket, const char* name) noexcept {
  if (settings_.has_windows && !is_in_window_) return;
  if (!filter_.has_pattern()) {
    ticket.is_wanted = filter_.wants_index(ticket.index);
    return;
  }
  const std::lock_guard lock(filter_mutex_);
  ticket.is_wanted = filter_.wants(ticket.index, name);
  ticket.is_isolated = ticket.is_wanted && filter_.isolates(name);
}

void Recorder::spent(Clock::time_point since) noexcept {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - since);
  count(writer_.header().overhead_ns, static_cast<std::uint64_t>(ns.count()));
}

// Starts, stops or leaves the counters as this launch needs them; true if it will be measured.
bool Recorder::prepare(ContextProfiler& profiler, const Ticket& ticket) noexcept {
  const Clock::time_point since = Clock::now();
  const bool stands_apart = profiler.stands_apart(ticket.kind);
  if (ticket.is_wanted) {
    in_passing_ = 0;
    if (ticket.is_isolated || stands_apart) profiler.restart();
    const bool is_first = profiler.is_new();
    if (profiler.start() && is_first) see_to_the_end_();
  } else if (profiler.is_started()) {
    const bool is_past = !filter_.wants_index(ticket.index);
    const bool is_gap = !profiler.must_start_early() && ++in_passing_ > kLaunchesMeasuredInPassing;
    if (is_past || is_gap) profiler.flush();
  }
  spent(since);
  return profiler.is_started();
}

// The counters are started here and not at the first launch: setting them up moves memory, which
// must happen before the program prepares the caches.
void Recorder::window_begins(const CUpti_CallbackData& data) noexcept {
  if (has_ended_ || !settings_.has_windows) return;
  const Clock::time_point since = Clock::now();
  const bool is_restart = is_in_window_.exchange(true);
  if (!is_restart) ++window_;
  const auto begin = [&](ContextProfiler& profiler) {
    const std::lock_guard lock(profiler.mutex());
    if (is_restart) {
      profiler.leave_out_pending();
      return;
    }
    const bool is_first = profiler.is_new();
    if (profiler.start() && is_first) see_to_the_end_();
  };
  if (is_restart) {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [context, profiler] : contexts_) begin(*profiler);
  } else if (data.context != nullptr) {
    begin(profiler_of(data.context));
  }
  spent(since);
}

void Recorder::window_ends() noexcept {
  if (has_ended_ || !is_in_window_.exchange(false)) return;
  const Clock::time_point since = Clock::now();
  {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [context, profiler] : contexts_) {
      const std::lock_guard window(profiler->mutex());
      profiler->end_window();
    }
  }
  if (window_ == 1) see_to_the_end_();
  spent(since);
}

// A graph launched while the counters run gives no range, and after it no launch does until they
// are set up again (seen on an H200, CUPTI 13.0), so they are stopped for it.
void Recorder::graph_begins(ContextProfiler& profiler) noexcept {
  count(writer_.header().graph_launches);
  const Clock::time_point since = Clock::now();
  profiler.mutex().lock();
  profiler.flush_for_graph();
  spent(since);
  the_ticket.profiler = &profiler;
  the_ticket.is_graph = true;
}

void Recorder::launch_begins(CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept {
  the_ticket = {};
  if (has_ended_ || data.context == nullptr) return;
  const LaunchCall call = read_launch_call(id, data.functionParams);
  if (is_capturing(call)) {
    count(writer_.header().launches_captured);
    return;
  }
  Ticket ticket;
  ticket.launched_unix_ns = unix_now_ns();
  ticket.index = launches_.fetch_add(1, std::memory_order_relaxed);
  count(writer_.header().launches_seen);
  if (call.is_graph) {
    graph_begins(profiler_of(data.context));
    return;
  }
  const char* name = data.symbolName != nullptr ? data.symbolName : kNoName;
  judge(ticket, name);
  ticket.kind = kind_of_launch(name, call.grid);
  if (ticket.is_wanted) count(writer_.header().launches_chosen);

  ContextProfiler& profiler = profiler_of(data.context);
  profiler.mutex().lock();
  if (prepare(profiler, ticket)) {
    ticket.profiler = &profiler;
    the_ticket = ticket;
    std::strncpy(writer_.header().inside, "a launch", sizeof writer_.header().inside);
    return;
  }
  if (ticket.is_wanted) count(writer_.header().launches_lost);
  profiler.mutex().unlock();
}

ContextProfiler::Launch Recorder::describe(const LaunchCall& call, const CUpti_CallbackData& data,
                                           const Ticket& ticket) noexcept {
  ContextProfiler::Launch launch = {};
  launch.is_wanted = ticket.is_wanted;
  launch.name = data.symbolName != nullptr ? data.symbolName : kNoName;
  wire::LaunchRecord& record = launch.record;
  record.index = ticket.index;
  record.window = settings_.has_windows ? window_.load() : 0;
  record.launched_unix_ns = ticket.launched_unix_ns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    record.grid[axis] = call.grid[axis];
    record.block[axis] = call.block[axis];
  }
  record.dynamic_shared_bytes = call.dynamic_shared_bytes;
  record.static_shared_bytes = wire::kUnknown;
  record.registers_per_thread = wire::kUnknown;
  record.device = ticket.profiler->device();
  record.context = data.contextUid;
  cupti_.cuptiGetStreamIdEx(data.context, call.stream, call.is_per_thread ? 1 : 0, &record.stream);
  if (settings_.with_registers) {
    record.registers_per_thread =
        function_fact(driver_, CU_FUNC_ATTRIBUTE_NUM_REGS, call.function, record.device);
    record.static_shared_bytes =
        function_fact(driver_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, call.function, record.device);
  }
  return launch;
}

// After a batch was read out: start at once if the call of the next launch would be too late.
void Recorder::go_on(ContextProfiler& profiler, std::uint64_t next) noexcept {
  if (profiler.must_start_early() && filter_.wants_index(next)) profiler.start();
}

void Recorder::launch_ends(CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept {
  const Ticket ticket = the_ticket;
  the_ticket = {};
  if (ticket.profiler == nullptr) return;
  ContextProfiler& profiler = *ticket.profiler;
  writer_.header().inside[0] = 0;
  if (ticket.is_graph) {
    profiler.mutex().unlock();
    return;
  }
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (result != nullptr && *result != CUDA_SUCCESS) {
    if (ticket.is_wanted) count(writer_.header().launches_lost);
  } else {
    const LaunchCall call = read_launch_call(id, data.functionParams);
    profiler.add(describe(call, data, ticket));
    if (profiler.is_full()) {
      const Clock::time_point since = Clock::now();
      profiler.flush();
      if (writer_.header().batches == 1) see_to_the_end_();
      go_on(profiler, ticket.index + 1);
      spent(since);
    }
  }
  profiler.mutex().unlock();
}

void Recorder::context_ends(CUcontext context) noexcept {
  if (has_ended_) return;
  ContextProfiler* profiler = nullptr;
  {
    const std::lock_guard lock(contexts_mutex_);
    const auto found = contexts_.find(context);
    if (found == contexts_.end()) return;
    profiler = found->second.get();
  }
  const Clock::time_point since = Clock::now();
  if (profiler->mutex().try_lock_for(kPatienceAtTheEnd)) {
    profiler->close();
    profiler->mutex().unlock();
    // Another context may get the same handle, and a thread may still use this one's profiler.
    const std::lock_guard lock(contexts_mutex_);
    contexts_[context].release();
    contexts_.erase(context);
  }
  spent(since);
}

void Recorder::library_complains(const CUpti_StateData& state) noexcept {
  const char* message = state.notification.message;
  writer_.obstacle(wire::Obstacle::kNote,
                   std::string("the library says: ") + (message == nullptr ? "?" : message),
                   static_cast<int>(state.notification.result));
}

void Recorder::process_ends() noexcept {
  if (has_ended_.exchange(true)) return;
  const Clock::time_point since = Clock::now();
  bool is_all = true;
  {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [context, profiler] : contexts_) {
      if (profiler->mutex().try_lock_for(kPatienceAtTheEnd)) {
        profiler->flush();
        profiler->mutex().unlock();
      } else {
        is_all = false;
      }
    }
  }
  spent(since);
  if (is_all) {
    writer_.finish();
  } else {
    writer_.flush();
  }
}

}  // namespace strobe::record
