#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scripted_driver.h"
#include "strobe/bench/providers/cuda/cupti_api.h"

// A CUPTI without a GPU: bytes of records, as long as the test says they are, for every kernel that
// a scripted driver runs while recording is on.
namespace strobe::bench {

class ScriptedCupti {
 public:
  ScriptedCupti() { current() = this; }
  ~ScriptedCupti() { current() = nullptr; }
  ScriptedCupti(const ScriptedCupti&) = delete;
  ScriptedCupti& operator=(const ScriptedCupti&) = delete;

  std::size_t record_bytes = sizeof(cupti::KernelRecord) + 96;  // longer than what is known of it
  std::map<std::string, CuptiResult> failures;                  // by the call
  std::size_t records_to_drop = 0;
  bool is_on = false;
  int flushes = 0;

  void listen_to(ScriptedDriver& driver) {
    driver.on_time = [this](const std::string& name, double start_us, double end_us) {
      if (is_on) add({.start_us = start_us, .end_us = end_us}, name);
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
    waiting_.push_back(record);
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
      me().is_on = kind == cupti::kConcurrentKernel && me().result("enable") == cupti::kSuccess;
      return me().result("enable");
    };
    api.disable = [](unsigned) {
      me().is_on = false;
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

  void deliver() {
    if (waiting_.empty() && records_to_drop == 0) return;
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
    std::size_t most = 0;
    request_(&buffer, &bytes, &most);
    std::size_t valid = 0;
    for (const cupti::KernelRecord& record : waiting_) {
      if (valid + record_bytes > bytes) break;
      std::memset(buffer + valid, 0xEE, record_bytes);
      std::memcpy(buffer + valid, &record, sizeof record);
      valid += record_bytes;
    }
    waiting_.clear();
    complete_(nullptr, 0, buffer, bytes, valid);
  }

  cupti::RequestBuffer request_ = nullptr;
  cupti::CompleteBuffer complete_ = nullptr;
  std::vector<cupti::KernelRecord> waiting_;
  std::set<std::string> names_;
};

}  // namespace strobe::bench
