#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/cupti_api.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"

// A CUPTI without a GPU: records of the length that the test sets, for every kernel that a scripted
// driver runs while recording is on, and for every recorded call, each of which takes the host a
// microsecond or the time that the test sets.
namespace strobe::bench {

class ScriptedCupti {
 public:
  ScriptedCupti() { current() = this; }
  ~ScriptedCupti() { current() = nullptr; }
  ScriptedCupti(const ScriptedCupti&) = delete;
  ScriptedCupti& operator=(const ScriptedCupti&) = delete;

  std::size_t record_bytes = sizeof(cupti::KernelRecord) + 96;  // longer than the known part
  std::map<std::string, CuptiResult> failures;                  // by the call
  std::size_t records_to_drop = 0;
  bool is_on = false;                // of kernels
  std::set<unsigned> call_kinds;     // of calls that are recorded
  std::map<int, std::string> names;  // of calls, by number; 1 and 2 are set by what is listened to
  double now_us = 1;                 // of the host
  std::vector<double> launch_us;     // of the next launches, while calls are recorded
  int flushes = 0;

  void listen_to(ScriptedDriver& driver) {
    driver.on_time = [this](const std::string& name, double start_us, double end_us) {
      if (is_on) add({.start_us = start_us, .end_us = end_us}, name);
    };
    names = {{1, "cuLaunchKernel"}, {2, "cuStreamSynchronize"}};
    driver.on_call = [this](const std::string& what) {
      if (current() != this) return;  // the driver lives longer
      const std::uint32_t number = what.starts_with("launch") ? 1 : what == "synchronize" ? 2 : 3;
      const bool is_recorded = call_kinds.contains(cupti::kDriverCall);
      double took_us = 1;
      if (is_recorded && number == 1 && !launch_us.empty()) {
        took_us = launch_us.front();
        launch_us.erase(launch_us.begin());
      }
      now_us += took_us;
      if (is_recorded) add_call({.start_us = now_us - took_us, .end_us = now_us}, number);
    };
  }

  struct Times {
    double start_us = 0;
    double end_us = 0;
  };
  void add(Times times, const std::string& name, std::uint32_t kind = cupti::kConcurrentKernel) {
    cupti::KernelRecord record;
    record.kind = kind;
    record.start_ns = static_cast<std::uint64_t>(1e3 * times.start_us);
    record.end_ns = static_cast<std::uint64_t>(1e3 * times.end_us);
    record.name = names_.emplace(name).first->c_str();
    for (int i = 0; i < 3; ++i) record.grid[i] = record.block[i] = 1;
    record.registers = 16;
    record.static_shared_bytes = 8;
    record.dynamic_shared_bytes = 32;
    put(record);
  }
  void add_call(Times times, std::uint32_t number, std::uint32_t kind = cupti::kDriverCall,
                std::uint32_t thread = 0) {
    cupti::CallRecord record;
    record.kind = kind;
    record.call = number;
    record.start_ns = static_cast<std::uint64_t>(1e3 * times.start_us);
    record.end_ns = static_cast<std::uint64_t>(1e3 * times.end_us);
    record.thread = thread;
    put(record);
  }

  CuptiApi api() {
    CuptiApi api;
    api.version = [](std::uint32_t* version) {
      *version = 130001;
      return cupti::kSuccess;
    };
    api.result_text = [](CuptiResult, const char** text) {
      *text = "CUPTI_ERROR_OF_A_TEST";
      return cupti::kSuccess;
    };
    api.register_callbacks = [](cupti::RequestBuffer request, cupti::CompleteBuffer complete) {
      me().request_ = request;
      me().complete_ = complete;
      return me().result("register");
    };
    api.enable = [](unsigned kind) {
      if (me().result("enable") != cupti::kSuccess) return me().result("enable");
      if (kind == cupti::kConcurrentKernel) {
        me().is_on = true;
      } else {
        me().call_kinds.insert(kind);
      }
      return cupti::kSuccess;
    };
    api.disable = [](unsigned kind) {
      if (kind == cupti::kConcurrentKernel) me().is_on = false;
      me().call_kinds.erase(kind);
      return cupti::kSuccess;
    };
    api.timestamp = [](std::uint64_t* ns) {
      *ns = static_cast<std::uint64_t>(1e3 * me().now_us);
      return me().result("timestamp");
    };
    api.call_name = [](int domain, std::uint32_t number, const char** name) {
      const auto known = me().names.find(static_cast<int>(number));
      if (known == me().names.end()) return 1;
      const bool is_driver = known->second.starts_with("cuda") == false;
      if (is_driver != (domain == cupti::kDriverDomain)) return 1;
      *name = known->second.c_str();
      return cupti::kSuccess;
    };
    api.flush_all = [](std::uint32_t) {
      ++me().flushes;
      me().deliver();
      return me().result("flush");
    };
    api.next_record = [](std::uint8_t* buffer, std::size_t valid_bytes, void** record) {
      std::uint8_t* const next =
          *record == nullptr ? buffer : static_cast<std::uint8_t*>(*record) + me().record_bytes;
      if (next + me().record_bytes > buffer + valid_bytes) return 12;
      *record = next;
      return cupti::kSuccess;
    };
    api.dropped = [](CuContext, std::uint32_t, std::size_t* dropped) {
      *dropped = me().records_to_drop;
      me().records_to_drop = 0;
      return cupti::kSuccess;
    };
    return api;
  }

 private:
  static ScriptedCupti*& current() {
    static ScriptedCupti* cupti = nullptr;
    return cupti;
  }
  static ScriptedCupti& me() { return *current(); }

  CuptiResult result(const std::string& call) const {
    const auto failure = failures.find(call);
    return failure == failures.end() ? cupti::kSuccess : failure->second;
  }

  template <class Record>
  void put(const Record& record) {
    std::vector<std::uint8_t>& bytes = waiting_.emplace_back(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
  }

  void deliver() {
    if (waiting_.empty() && records_to_drop == 0) return;
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
    std::size_t most = 0;
    request_(&buffer, &bytes, &most);
    std::size_t valid = 0;
    for (const std::vector<std::uint8_t>& record : waiting_) {
      if (valid + record_bytes > bytes) break;
      std::memset(buffer + valid, 0xEE, record_bytes);
      std::memcpy(buffer + valid, record.data(), record.size());
      valid += record_bytes;
    }
    waiting_.clear();
    complete_(nullptr, 0, buffer, bytes, valid);
  }

  cupti::RequestBuffer request_ = nullptr;
  cupti::CompleteBuffer complete_ = nullptr;
  std::vector<std::vector<std::uint8_t>> waiting_;
  std::set<std::string> names_;
};

}  // namespace strobe::bench
