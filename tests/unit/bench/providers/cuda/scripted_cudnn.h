#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/cudnn_api.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

// cuDNN without the library: descriptors are bags of bytes, the test defines the engines, and a
// call is a kernel "dnn_<engine>" of the scripted driver.
namespace strobe::bench {

class ScriptedCudnn {
 public:
  struct Engine {
    std::int64_t index = 0;
    std::vector<int> notes = {};
    std::int64_t workspace_bytes = 0;
    DnnStatus plan_status = dnn::kSuccess;
    DnnStatus run_status = dnn::kSuccess;
  };
  struct Call {
    std::int64_t engine = 0;
    std::vector<std::uint64_t> places;
    std::uint64_t workspace = 0;
  };

  explicit ScriptedCudnn(DriverApi driver) : driver_(driver) { current() = this; }
  ~ScriptedCudnn() { current() = nullptr; }
  ScriptedCudnn(const ScriptedCudnn&) = delete;
  ScriptedCudnn& operator=(const ScriptedCudnn&) = delete;

  std::vector<Engine> engines = {{.index = 1}};
  std::vector<Call> calls;
  CuStream stream = nullptr;
  int alive = 0;  // descriptors and handles that were created and not destroyed

  CudnnApi api();

 private:
  struct Descriptor {
    int type = 0;
    std::map<int, std::vector<std::uint64_t>> words = {};
    std::size_t engine = 0;  // of configurations, engines and plans
  };
  static ScriptedCudnn*& current() {
    static ScriptedCudnn* library = nullptr;
    return library;
  }
  static ScriptedCudnn& me() { return *current(); }
  static Descriptor& at(DnnDescriptor descriptor) { return *static_cast<Descriptor*>(descriptor); }

  DriverApi driver_;
};

inline CudnnApi ScriptedCudnn::api() {
  CudnnApi api;
  api.version = [] { return std::size_t{91400}; };
  api.error_text = [](DnnStatus) { return "CUDNN_STATUS_OF_A_TEST"; };
  api.last_error = [](char* text, std::size_t bytes) { std::strncpy(text, "scripted", bytes); };
  api.create = [](DnnHandle* handle) {
    ++me().alive;
    *handle = reinterpret_cast<DnnHandle>(1);
    return dnn::kSuccess;
  };
  api.destroy = [](DnnHandle) { return --me().alive, dnn::kSuccess; };
  api.set_stream = [](DnnHandle, CuStream to) {
    me().stream = to;
    return dnn::kSuccess;
  };
  api.descriptor_create = [](int type, DnnDescriptor* descriptor) {
    ++me().alive;
    *descriptor = new Descriptor{.type = type};
    return dnn::kSuccess;
  };
  api.descriptor_destroy = [](DnnDescriptor descriptor) {
    delete static_cast<Descriptor*>(descriptor);
    return --me().alive, dnn::kSuccess;
  };
  api.attribute_set = [](DnnDescriptor descriptor, int attribute, int type, std::int64_t count,
                         const void* values) {
    std::vector<std::uint64_t>& words = at(descriptor).words[attribute];
    words.clear();
    const bool is_wide = type == dnn::kTypeInt64 || type == dnn::kTypeVoidPointer ||
                         type == dnn::kTypeDescriptor || type == dnn::kTypeHandle;
    const std::size_t each = is_wide ? 8 : type == dnn::kTypeBoolean ? 1 : 4;
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(values) + static_cast<std::size_t>(i) * each,
                  each);
      words.push_back(word);
    }
    return dnn::kSuccess;
  };
  api.descriptor_finalize = [](DnnDescriptor descriptor) {
    Descriptor& made = at(descriptor);
    if (made.type != dnn::kExecutionPlan) return dnn::kSuccess;
    auto* const config =
        reinterpret_cast<DnnDescriptor>(made.words.at(dnn::kPlanEngineConfig).at(0));
    made.engine = at(config).engine;
    return me().engines.at(made.engine).plan_status;
  };
  api.attribute_get = [](DnnDescriptor descriptor, int attribute, int, std::int64_t room,
                         std::int64_t* count, void* values) {
    Descriptor& of = at(descriptor);
    if (attribute == dnn::kHeuristicsResults) {
      *count = 0;
      for (std::size_t i = 0; i < me().engines.size() && *count < room; ++i) {
        at(static_cast<DnnDescriptor*>(values)[(*count)++]).engine = i;
      }
      return dnn::kSuccess;
    }
    const Engine& engine = me().engines.at(of.engine);
    *count = 1;
    if (attribute == dnn::kEngineConfigEngine) {
      at(*static_cast<DnnDescriptor*>(values)).engine = of.engine;
    } else if (attribute == dnn::kEngineGlobalIndex) {
      std::memcpy(values, &engine.index, 8);
    } else if (attribute == dnn::kPlanWorkspaceBytes) {
      std::memcpy(values, &engine.workspace_bytes, 8);
    } else if (attribute == dnn::kEngineNumericalNotes) {
      *count = static_cast<std::int64_t>(engine.notes.size());
      std::memcpy(values, engine.notes.data(), 4 * engine.notes.size());
    }
    return dnn::kSuccess;
  };
  api.execute = [](DnnHandle, DnnDescriptor plan, DnnDescriptor pack) {
    const Engine& engine = me().engines.at(at(plan).engine);
    me().calls.push_back({.engine = engine.index,
                          .places = at(pack).words.at(dnn::kPackPointers),
                          .workspace = at(pack).words.at(dnn::kPackWorkspace).at(0)});
    if (engine.run_status != dnn::kSuccess) return engine.run_status;
    CuFunction function = nullptr;
    const std::string name = "dnn_" + std::to_string(engine.index);
    me().driver_.module_function(&function, nullptr, name.c_str());
    me().driver_.launch(function, 1, 1, 1, 1, 1, 1, 0, me().stream, nullptr, nullptr);
    return dnn::kSuccess;
  };
  return api;
}

}  // namespace strobe::bench
