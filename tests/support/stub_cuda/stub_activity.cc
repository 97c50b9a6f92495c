// A second libcupti.so.13, for `strobe record`: it makes a record of all work that the stub driver
// starts, and hands out full buffers in a thread of its own, as the real one does. Kernels take
// 1000 ns each, copies one ns per byte. STUB_ACTIVITY lists what goes wrong, words with commas
// between:
//
//   subscribe=39  register=1  enable=26     the call fails with this result
//   room=N       a buffer holds N records   drop=N      every Nth record is lost, and counted
//   late         buffers come only when the program flushes or ends
//
// A graph is one record (of graph 5) if whole graphs are enabled, else three kernels.

#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/stub_cuda/stub_cuda.h"

namespace {

using strobe::test::StubCall;

constexpr std::uint64_t kKernelNs = 1000;
constexpr std::uint32_t kGraph = 5;

std::string scripted(std::string_view word) {
  const char* text = std::getenv("STUB_ACTIVITY");
  std::string_view words = text == nullptr ? "" : text;
  while (!words.empty()) {
    const std::string_view one = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (one.substr(0, equals) != word) continue;
    return equals == std::string_view::npos ? "1" : std::string(one.substr(equals + 1));
  }
  return "";
}

std::size_t scripted_number(std::string_view word, std::size_t otherwise) {
  const std::string text = scripted(word);
  return text.empty() ? otherwise : static_cast<std::size_t>(std::atoi(text.c_str()));
}

CUptiResult scripted_result(std::string_view call) {
  return static_cast<CUptiResult>(scripted_number(call, CUPTI_SUCCESS));
}

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
  std::size_t records = 0;
};

// Leaked on purpose: programs end while its thread still waits.
struct Library {
  std::atomic<CUpti_CallbackFunc> callback = nullptr;
  std::atomic<CUpti_BuffersCallbackRequestFunc> request = nullptr;
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete = nullptr;
  std::atomic<CUpti_TimestampCallbackFunc> clock = nullptr;
  std::atomic<std::uint32_t> correlation = 0;

  std::mutex mutex;  // of what follows
  std::set<std::pair<int, unsigned>> heard;
  std::set<int> kinds;
  Buffer open;
  std::deque<Buffer> full;
  std::size_t made = 0;
  std::size_t dropped = 0;
  std::size_t in_delivery = 0;
  std::condition_variable has_full;
  std::condition_variable has_delivered;
  bool has_worker = false;
};

Library& library() {
  static auto* the_library = new Library;
  return *the_library;
}

std::uint64_t now() {
  const auto clock = library().clock.load();
  return clock != nullptr ? clock() : 1;
}

void deliver(const Buffer& buffer) {
  if (const auto complete = library().complete.load(); complete != nullptr) {
    complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  }
}

void deliver_full(std::unique_lock<std::mutex>& lock) {
  while (!library().full.empty()) {
    const Buffer buffer = library().full.front();
    library().full.pop_front();
    ++library().in_delivery;
    lock.unlock();
    deliver(buffer);
    lock.lock();
    --library().in_delivery;
    library().has_delivered.notify_all();
  }
}

void start_worker() {
  if (library().has_worker || !scripted("late").empty()) return;
  library().has_worker = true;
  std::thread([] {
    std::unique_lock lock(library().mutex);
    for (;;) {
      library().has_full.wait(lock, [] { return !library().full.empty(); });
      deliver_full(lock);
    }
  }).detach();
}

template <class Record>
void add_record(const Record& record) {
  std::unique_lock lock(library().mutex);
  if (!library().kinds.contains(record.kind)) return;
  ++library().made;
  if (const std::size_t nth = scripted_number("drop", 0); nth != 0 && library().made % nth == 0) {
    ++library().dropped;
    return;
  }
  Buffer& open = library().open;
  if (open.bytes == nullptr) {
    std::size_t most = 0;
    const auto request = library().request.load();
    if (request != nullptr) request(&open.bytes, &open.size, &most);
    if (open.bytes == nullptr) {
      ++library().dropped;
      return;
    }
  }
  std::memcpy(open.bytes + open.used, &record, sizeof record);
  open.used += sizeof record;
  if (++open.records < scripted_number("room", 1000)) return;
  library().full.push_back(open);
  open = {};
  start_worker();
  library().has_full.notify_one();
}

// A kernel's name stays where it is, as the real library's do.
const char* kept_name(const char* name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(name).first->c_str();
}

void add_kernel(const char* name, std::uint32_t correlation, std::uint64_t node = 0) {
  CUpti_ActivityKernel10 kernel = {};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = now();
  kernel.end = kernel.start + kKernelNs;
  kernel.contextId = 1;
  kernel.streamId = 7;
  kernel.correlationId = correlation;
  kernel.gridX = 10;
  kernel.gridY = 2;
  kernel.gridZ = 1;
  kernel.blockX = 128;
  kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 40;
  kernel.dynamicSharedMemory = 48;
  kernel.graphId = node == 0 ? 0 : kGraph;
  kernel.graphNodeId = node;
  kernel.name = kept_name(name);
  add_record(kernel);
}

void add_graph(std::uint32_t correlation) {
  bool is_whole = false;
  {
    const std::lock_guard lock(library().mutex);
    is_whole = library().kinds.contains(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  }
  if (!is_whole) {
    for (std::uint64_t node = 1; node <= 3; ++node) add_kernel("node_kernel", correlation, node);
    return;
  }
  CUpti_ActivityGraphTrace2 graph = {};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  graph.start = now();
  graph.end = graph.start + 3 * kKernelNs;
  graph.contextId = 1;
  graph.streamId = 7;
  graph.graphId = kGraph;
  graph.correlationId = correlation;
  add_record(graph);
}

void add_copy(std::uint64_t bytes, std::uint32_t correlation) {
  CUpti_ActivityMemcpy6 copy = {};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.start = now();
  copy.end = copy.start + bytes;
  copy.bytes = bytes;
  copy.contextId = 1;
  copy.streamId = 7;
  copy.correlationId = correlation;
  add_record(copy);
}

struct OpenCalls {
  unsigned depth = 0;
  std::uint32_t correlation = 0;
  std::uint64_t data[2] = {};
};
thread_local OpenCalls open_calls;

void tell(const StubCall& call, bool is_enter, std::uint64_t& data_of_call) {
  const auto domain = call.is_runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  {
    const std::lock_guard lock(library().mutex);
    if (!library().heard.contains({domain, call.call})) return;
  }
  const auto callback = library().callback.load();
  if (callback == nullptr) return;
  CUpti_CallbackData data = {};
  data.callbackSite = is_enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionParams = call.parameters;
  CUresult result = call.result;
  data.functionReturnValue = is_enter ? nullptr : &result;
  data.symbolName = call.symbol;
  data.context = call.context;
  data.contextUid = 1;
  data.correlationId = open_calls.correlation;
  data.correlationData = &data_of_call;
  callback(nullptr, domain, call.call, &data);
}

// A call of the driver within one of the runtime has the same correlation.
void on_call(const StubCall& call, bool is_enter) {
  if (is_enter) {
    if (open_calls.depth == 0) open_calls.correlation = ++library().correlation;
    tell(call, true, open_calls.data[std::min(open_calls.depth, 1u)]);
    ++open_calls.depth;
    return;
  }
  --open_calls.depth;
  if (!call.is_runtime && !call.is_captured && call.result == CUDA_SUCCESS) {
    const std::uint32_t correlation = open_calls.correlation;
    if (call.call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch) {
      add_graph(correlation);
    } else if (call.bytes > 0) {
      add_copy(call.bytes, correlation);
    } else if (call.symbol != nullptr) {
      add_kernel(call.symbol, correlation);
    }
  }
  tell(call, false, open_calls.data[std::min(open_calls.depth, 1u)]);
}

// Returns when every buffer is delivered, those that the worker has in hand too: as the real one.
void flush() {
  std::unique_lock lock(library().mutex);
  if (library().open.bytes != nullptr) library().full.push_back(std::exchange(library().open, {}));
  deliver_full(lock);
  library().has_delivered.wait(lock, [] { return library().in_delivery == 0; });
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    default:
      return sizeof(CUpti_ActivityKernel10);
  }
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "another subscriber"
                                                                   : "stub failure";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
  if (const CUptiResult result = scripted_result("subscribe"); result != CUPTI_SUCCESS) {
    return result;
  }
  library().callback = callback;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&library());
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<decltype(&stub_cuda_listen)>(dlsym(driver, "stub_cuda_listen"))(on_call,
                                                                                   nullptr);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  library().callback = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  const std::lock_guard lock(library().mutex);
  library().heard.insert({domain, id});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  struct Named {
    CUpti_CallbackDomain domain;
    std::uint32_t id;
    const char* name;
  };
  static constexpr Named kNames[] = {
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
       "cuMemcpyHtoDAsync_v2"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, "cuProfilerStart"},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
       "cudaMemcpyAsync_v3020"},
  };
  for (const Named& one : kNames) {
    if (one.domain != domain || one.id != id) continue;
    *name = one.name;
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (const CUptiResult result = scripted_result("register"); result != CUPTI_SUCCESS) {
    return result;
  }
  library().request = request;
  library().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  library().clock = clock;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const CUptiResult result = scripted_result("enable"); result != CUPTI_SUCCESS) return result;
  const std::lock_guard lock(library().mutex);
  library().kinds.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes,
                                       CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<std::uint8_t*>(*record) + bytes_of((*record)->kind);
  }
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(library().mutex);
  *dropped = std::exchange(library().dropped, 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED || scripted("late").empty()) flush();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  flush();
  const std::lock_guard lock(library().mutex);
  library().kinds.clear();
  library().heard.clear();
  library().callback = nullptr;
  return CUPTI_SUCCESS;
}

}  // extern "C"
