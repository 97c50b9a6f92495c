#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/device.h"

// A GPU without a GPU: the driver's table is filled with calls that record their arguments and
// simulate a device whose kernels take as long as the test says. Its memory is the host's.
namespace strobe::bench {

class ScriptedDriver {
 public:
  // The log that tests check: "launch strobe_hold", "event", "fill", "synchronize", "capture",
  // "graph", "load", "allocate 1024", each with whether the hold was closed at that moment.
  struct Call {
    std::string what;
    bool is_held = false;
    bool is_captured = false;
    bool operator==(const std::string& name) const { return what == name; }
  };

  ScriptedDriver() { current() = this; }
  ~ScriptedDriver() { current() = nullptr; }
  ScriptedDriver(const ScriptedDriver&) = delete;
  ScriptedDriver& operator=(const ScriptedDriver&) = delete;

  std::vector<Call> calls;
  std::map<std::string, double> kernel_us;     // 5 if not set
  std::map<std::string, int> argument_counts;  // of kernels whose arguments `on_run` needs
  std::map<std::string, std::vector<std::size_t>> argument_bytes;  // 8 if not set
  std::map<std::size_t, double> stream_us;  // that a kernel takes longer on the stream, by number
  std::function<void(const std::string&, const std::vector<std::uint64_t>&)> on_run;
  std::function<void(const std::string&, double start_us, double end_us)> on_time;
  std::function<void(const std::string&)> on_call;  // by log entry
  OpenCupti open_cupti;
  int holds_that_time_out = 0;
  std::map<std::string, CuResult> failures;  // by log entry: the result, from now on
  std::map<int, int> attributes = {{cu::kCapabilityMajor, 9},  {cu::kSmCount, 132},
                                   {cu::kL2Bytes, 1 << 20},    {cu::kSharedPerBlockOptIn, 232448},
                                   {cu::kSharedPerSm, 233472}, {cu::kMemoryClockKhz, 3201000},
                                   {cu::kMemoryBusBits, 6016}, {cu::kThreadsPerSm, 2048}};
  std::size_t free_bytes = std::size_t{1} << 30;
  int releases = 0;  // times that the flag was found set after it was cleared
  std::map<int, int> function_settings;
  unsigned cluster = 0;                    // of the last launch
  std::map<std::string, unsigned> blocks;  // along x, of the last launch of each kernel
  int clusters_at_once = 1;                // that fit on the chip

  DriverApi api();
  NvrtcApi nvrtc();
  std::unique_ptr<CudaDevice> device() {
    auto opened = CudaDevice::open(api(), nvrtc(), {}, open_cupti);
    return opened ? std::move(*opened) : nullptr;
  }

  std::size_t count(const std::string& what) const {
    std::size_t found = 0;
    for (const Call& call : calls) found += call.what == what ? 1 : 0;
    return found;
  }

 private:
  struct Node {
    std::string kernel;
    std::vector<std::uint64_t> arguments;
  };

  static ScriptedDriver*& current() {
    static ScriptedDriver* driver = nullptr;
    return driver;
  }
  static ScriptedDriver& me() { return *current(); }
  static const std::string& source_of(NvrtcProgram program) {
    return *reinterpret_cast<const std::string*>(program);
  }

  bool is_held() const { return flag_ != nullptr && *flag_ == 0; }

  CuResult log(const std::string& what) {
    calls.push_back({what, is_held(), is_capturing_});
    if (on_call) on_call(what);
    const auto failure = failures.find(what);
    return failure == failures.end() ? cu::kSuccess : failure->second;
  }

  void run(const Node& node) {
    const auto cost = kernel_us.find(node.kernel);
    const double start_us = now_us_;
    now_us_ += cost == kernel_us.end() ? 5 : cost->second;
    if (on_time) on_time(node.kernel, start_us, now_us_);
    if (on_run) on_run(node.kernel, node.arguments);
  }

  CuResult launch(CuFunction function, CuStream stream, void** arguments) {
    const auto more = stream_us.find(reinterpret_cast<std::uintptr_t>(stream));
    if (more != stream_us.end()) now_us_ += more->second;
    Node node{names_[reinterpret_cast<std::uintptr_t>(function) - 1], {}};
    const auto wanted = argument_counts.find(node.kernel);
    const int words = node.kernel == "strobe_hold"      ? 3
                      : node.kernel == "strobe_clock"   ? 1
                      : wanted != argument_counts.end() ? wanted->second
                                                        : 0;
    for (int i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      const auto sizes = argument_bytes.find(node.kernel);
      std::memcpy(&word, arguments[i],
                  sizes == argument_bytes.end() ? 8 : sizes->second[static_cast<std::size_t>(i)]);
      node.arguments.push_back(word);
    }
    if (node.kernel == "strobe_hold") {
      flag_ = reinterpret_cast<const volatile unsigned*>(node.arguments[0]);
      timed_out_ = reinterpret_cast<volatile unsigned*>(node.arguments[1]);
      was_closed_ = *flag_ == 0;
    }
    if (node.kernel == "strobe_clock") {  // 1980 MHz
      auto* const answer = reinterpret_cast<volatile unsigned long long*>(node.arguments[0]);
      answer[0] = 59400;
      answer[1] = 30000;
    }
    const CuResult result = log("launch " + node.kernel);
    if (is_capturing_) {
      captured_.push_back(std::move(node));
    } else {
      run(node);
    }
    return result;
  }

  CuResult synchronize() {
    if (was_closed_ && flag_ != nullptr) {
      if (*flag_ != 0) ++releases;
      if (holds_that_time_out > 0) {
        --holds_that_time_out;
        *timed_out_ = 1;
      }
      was_closed_ = false;
    }
    return log("synchronize");
  }

  double now_us_ = 0;
  std::vector<std::string> names_;
  std::map<CuEvent, double> events_;
  std::uintptr_t next_event_ = 1;
  std::uintptr_t streams_ = 0;
  const volatile unsigned* flag_ = nullptr;
  volatile unsigned* timed_out_ = nullptr;
  bool was_closed_ = false;
  bool is_capturing_ = false;
  std::vector<Node> captured_;
  std::map<CuPointer, std::size_t> sizes_;
  std::mutex compiling_;  // the only thing that several threads do
};

inline DriverApi ScriptedDriver::api() {
  DriverApi api;
  api.init = [](unsigned) { return me().log("init"); };
  api.driver_version = [](int* version) {
    *version = 13000;
    return cu::kSuccess;
  };
  api.error_name = [](CuResult result, const char** name) {
    *name = result == cu::kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == cu::kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                            : "CUDA_ERROR_OF_A_TEST";
    return cu::kSuccess;
  };
  api.device_count = [](int* count) {
    *count = 1;
    return me().log("count");
  };
  api.device_get = [](CuDevice* device, int) {
    *device = 0;
    return cu::kSuccess;
  };
  api.device_name = [](char* name, int bytes, CuDevice) {
    std::strncpy(name, "Scripted GPU", static_cast<std::size_t>(bytes));
    return cu::kSuccess;
  };
  api.device_attribute = [](int* value, int which, CuDevice) {
    *value = me().attributes[which];
    return cu::kSuccess;
  };
  api.device_bytes = [](std::size_t* bytes, CuDevice) {
    *bytes = std::size_t{1} << 30;
    return cu::kSuccess;
  };
  api.device_pci_id = [](char* id, int, CuDevice) {
    id[0] = 0;
    return cu::kSuccess;
  };
  api.context_retain = [](CuContext* context, CuDevice) {
    *context = reinterpret_cast<CuContext>(1);
    return cu::kSuccess;
  };
  api.context_release = [](CuDevice) { return me().log("release context"); };
  api.context_set_current = [](CuContext) { return cu::kSuccess; };
  api.memory_info = [](std::size_t* free, std::size_t* total) {
    *free = me().free_bytes;
    *total = std::size_t{1} << 30;
    return cu::kSuccess;
  };
  api.memory_allocate = [](CuPointer* address, std::size_t bytes) -> CuResult {
    if (const CuResult result = me().log("allocate " + std::to_string(bytes));
        result != cu::kSuccess) {
      return result;
    }
    if (bytes > me().free_bytes) return cu::kOutOfMemory;
    me().free_bytes -= bytes;
    void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(memory, 0, bytes);
    *address = reinterpret_cast<CuPointer>(memory);
    me().sizes_[*address] = bytes;
    return cu::kSuccess;
  };
  api.memory_free = [](CuPointer address) {
    me().free_bytes += me().sizes_[address];
    me().sizes_.erase(address);
    std::free(reinterpret_cast<void*>(address));
    return me().log("free");
  };
  api.host_allocate = [](void** memory, std::size_t bytes, unsigned) {
    *memory = std::calloc(1, bytes);
    return cu::kSuccess;
  };
  api.host_free = [](void* memory) {
    me().flag_ = nullptr;
    std::free(memory);
    return cu::kSuccess;
  };
  api.host_device_pointer = [](CuPointer* address, void* memory, unsigned) {
    *address = reinterpret_cast<CuPointer>(memory);
    return cu::kSuccess;
  };
  api.copy_to_host = [](void* to, CuPointer from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return me().log("to host " + std::to_string(bytes));
  };
  api.copy_on_device = [](CuPointer, CuPointer, std::size_t, CuStream) {
    me().now_us_ += 600;
    return me().log("copy");
  };
  api.fill_bytes = [](CuPointer to, unsigned char value, std::size_t bytes, CuStream) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    me().now_us_ += 30;
    return me().log("fill");
  };
  api.stream_create = [](CuStream* stream, unsigned) {
    *stream = reinterpret_cast<CuStream>(++me().streams_);
    return cu::kSuccess;
  };
  api.stream_destroy = [](CuStream) { return cu::kSuccess; };
  api.stream_synchronize = [](CuStream) { return me().synchronize(); };
  api.stream_begin_capture = [](CuStream, int) {
    const CuResult result = me().log("capture");
    me().is_capturing_ = true;
    me().captured_.clear();
    return result;
  };
  api.stream_end_capture = [](CuStream, CuGraph* graph) {
    me().is_capturing_ = false;
    *graph = reinterpret_cast<CuGraph>(3);
    return me().log("captured");
  };
  api.event_create = [](CuEvent* event, unsigned) {
    *event = reinterpret_cast<CuEvent>(me().next_event_++);
    return cu::kSuccess;
  };
  api.event_destroy = [](CuEvent) { return cu::kSuccess; };
  api.event_record = [](CuEvent event, CuStream) {
    me().now_us_ += 1;
    me().events_[event] = me().now_us_;
    return me().log("event");
  };
  api.profiler_start = [] { return me().log("window opens"); };
  api.profiler_stop = [] { return me().log("window closes"); };
  api.event_elapsed_ms = [](float* ms, CuEvent start, CuEvent end) {
    *ms = static_cast<float>((me().events_[end] - me().events_[start]) / 1e3);
    return me().log("elapsed");
  };
  api.module_load = [](CuModule* module, const void* image, unsigned, int*, void**) {
    *module = reinterpret_cast<CuModule>(5);
    // Code of another chip in tests: CUDA_ERROR_NO_BINARY_FOR_GPU.
    if (std::strncmp(static_cast<const char*>(image), "foreign", 7) == 0) return CuResult{209};
    return me().log("load");
  };
  api.module_unload = [](CuModule) { return me().log("unload"); };
  api.module_function = [](CuFunction* function, CuModule, const char* name) {
    me().names_.emplace_back(name);
    *function = reinterpret_cast<CuFunction>(me().names_.size());
    return cu::kSuccess;
  };
  api.function_set = [](CuFunction, int which, int value) {
    me().function_settings[which] = value;
    return cu::kSuccess;
  };
  api.function_get = [](int* value, int which, CuFunction) {
    *value = which == cu::kRegisters ? 32 : 0;
    return cu::kSuccess;
  };
  api.launch = [](CuFunction function, unsigned grid_x, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, CuStream stream, void** arguments, void**) {
    me().blocks[me().names_[reinterpret_cast<std::uintptr_t>(function) - 1]] = grid_x;
    return me().launch(function, stream, arguments);
  };
  api.launch_ex = [](const cu::LaunchConfig* config, CuFunction function, void** arguments,
                     void**) {
    me().cluster = config->attributes[0].value.cluster[0];
    return me().launch(function, config->stream, arguments);
  };
  api.clusters_at_once = [](int* clusters, CuFunction, const cu::LaunchConfig*) {
    *clusters = me().clusters_at_once;
    return cu::kSuccess;
  };
  api.graph_instantiate = [](CuGraphExec* exec, CuGraph, unsigned long long) {
    *exec = reinterpret_cast<CuGraphExec>(4);
    return me().log("instantiate");
  };
  api.graph_launch = [](CuGraphExec, CuStream) {
    const CuResult result = me().log("graph");
    for (const Node& node : me().captured_) me().run(node);
    return result;
  };
  api.graph_nodes = [](CuGraph, CuGraphNode*, std::size_t* count) {
    *count = me().captured_.size();
    return cu::kSuccess;
  };
  api.graph_destroy = [](CuGraph) { return cu::kSuccess; };
  api.graph_exec_destroy = [](CuGraphExec) { return cu::kSuccess; };
  return api;
}

// A compiler whose code is the source.
inline NvrtcApi ScriptedDriver::nvrtc() {
  NvrtcApi api;
  api.version = [](int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return 0;
  };
  api.error_text = [](int) { return "an error of a test"; };
  api.create = [](NvrtcProgram* program, const char* source, const char*, int, const char* const*,
                  const char* const*) {
    *program = reinterpret_cast<NvrtcProgram>(new std::string(source));
    return 0;
  };
  api.destroy = [](NvrtcProgram* program) {
    delete reinterpret_cast<std::string*>(*program);
    return 0;
  };
  api.compile = [](NvrtcProgram program, int, const char* const*) {
    const std::lock_guard lock(me().compiling_);
    me().log("compile");
    return source_of(program).find("#error") == std::string::npos ? 0 : 6;
  };
  api.cubin_bytes = [](NvrtcProgram program, std::size_t* bytes) {
    *bytes = source_of(program).size();
    return 0;
  };
  api.cubin = [](NvrtcProgram program, char* out) {
    std::memcpy(out, source_of(program).data(), source_of(program).size());
    return 0;
  };
  api.ptx_bytes = api.cubin_bytes;
  api.ptx = api.cubin;
  api.log_bytes = [](NvrtcProgram, std::size_t* bytes) {
    *bytes = 14;
    return 0;
  };
  api.log = [](NvrtcProgram, char* out) {
    std::memcpy(out, "line 1: error", 14);
    return 0;
  };
  return api;
}

}  // namespace strobe::bench
