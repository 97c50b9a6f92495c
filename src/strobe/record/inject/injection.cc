// The entry point of the library: the CUDA driver loads it in every process that `strobe record` or
// `strobe kernels record` has started and calls InitializeInjection. From then on it listens to
// launches. It runs in a foreign process, so it prints nothing, stops nothing, and records what it
// cannot do.

#include <cstdlib>
#include <new>

#include "strobe/record/inject/activity/run_process.h"
#include "strobe/record/inject/launch_call.h"
#include "strobe/record/inject/recorder.h"

namespace strobe::record {
namespace {

// Never freed: callbacks may come until the process has ended.
Recorder* the_recorder = nullptr;     // NOLINT: the driver calls by name, without a pointer of ours
thread_local bool is_inside = false;  // NOLINT: our own calls must be ignored

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) noexcept {
  if (the_recorder == nullptr || data == nullptr || !the_recorder->is_at_home()) return;
  if (domain == CUPTI_CB_DOMAIN_STATE) {  // comes from within our own calls
    the_recorder->library_complains(*static_cast<const CUpti_StateData*>(data));
    return;
  }
  if (is_inside) return;
  is_inside = true;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    const bool is_enter = call.callbackSite == CUPTI_API_ENTER;
    if (id == kWindowBegins) {
      if (!is_enter) the_recorder->window_begins(call);
    } else if (id == kWindowEnds) {
      if (is_enter) the_recorder->window_ends();
    } else if (is_enter) {
      the_recorder->launch_begins(id, call);
    } else {
      the_recorder->launch_ends(id, call);
    }
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    the_recorder->context_ends(static_cast<const CUpti_ResourceData*>(data)->context);
  }
  is_inside = false;
}

// Exit handlers run in reverse order, and the counter library loads parts of itself late: these
// must still exist when the last batch is read out. Registering more than once is harmless.
void at_exit() noexcept;
void see_to_the_end() noexcept { std::atexit(at_exit); }

void at_exit() noexcept {
  if (the_recorder == nullptr || !the_recorder->is_at_home()) return;
  is_inside = true;
  the_recorder->process_ends();
  is_inside = false;
}

void record_counters() noexcept {
  if (the_recorder != nullptr) return;
  auto* recorder = new (std::nothrow) Recorder;
  if (recorder == nullptr) return;
  the_recorder = recorder;
  if (recorder->open(on_callback, see_to_the_end)) see_to_the_end();
}

}  // namespace
}  // namespace strobe::record

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  using strobe::record::RunProcess;
  if (RunProcess* process = RunProcess::of_this_process(); process != nullptr) {
    process->record_device();
  } else {
    strobe::record::record_counters();
  }
  return 1;
}
