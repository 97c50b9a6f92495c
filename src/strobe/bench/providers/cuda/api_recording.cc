#include "strobe/bench/providers/cuda/api_recording.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/activity_mailbox.h"

namespace strobe::bench {
namespace {

constexpr unsigned kKinds[] = {cupti::kDriverCall, cupti::kRuntimeCall};

struct TimedApiCall {
  cupti::CallRecord record;
  std::uint64_t own_ns = 0;  // without the calls inside it
};

// In the order in which they began. On one thread they nest: |--- cudaLaunchKernel ---|
//                                                               |- cuLaunchKernel -|
std::vector<TimedApiCall> nested(std::vector<cupti::CallRecord> records) {
  std::ranges::stable_sort(records, [](const auto& a, const auto& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::vector<TimedApiCall> calls;
  std::map<std::uint32_t, std::vector<std::size_t>> open;  // by thread, the innermost last
  for (const cupti::CallRecord& record : records) {
    std::vector<std::size_t>& around = open[record.thread];
    while (!around.empty() && calls[around.back()].record.end_ns < record.end_ns) around.pop_back();
    const std::uint64_t whole_ns = record.end_ns - record.start_ns;
    if (!around.empty()) calls[around.back()].own_ns -= whole_ns;
    around.push_back(calls.size());
    calls.push_back({.record = record, .own_ns = whole_ns});
  }
  return calls;
}

}  // namespace

std::string_view without_version(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  if (mark == std::string_view::npos || mark + 2 == name.size()) return name;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(name.substr(mark + 2), is_digit) ? name.substr(0, mark) : name;
}

Result<std::unique_ptr<ApiRecording>> ApiRecording::start(const CuptiApi& api) {
  STROBE_TRY_VOID(ActivityMailbox::of_process().open(api, kForApiCalls));
  std::unique_ptr<ApiRecording> recording(new ApiRecording(api));
  for (const unsigned kind : kKinds) {
    STROBE_TRY_VOID(api.check(api.enable(kind), "cuptiActivityEnable", kForApiCalls));
  }
  return recording;
}

ApiRecording::~ApiRecording() {
  for (const unsigned kind : kKinds) api_.disable(kind);
  api_.flush_all(cupti::kFlushForced);
}

Result<void> ApiRecording::begin() {
  return api_.check(api_.timestamp(&from_ns_), "cuptiGetTimestamp", kForApiCalls);
}

Result<void> ApiRecording::end() {
  return api_.check(api_.timestamp(&to_ns_), "cuptiGetTimestamp", kForApiCalls);
}

std::string ApiRecording::name_of(const cupti::CallRecord& call) const {
  const bool is_driver = call.kind == cupti::kDriverCall;
  const char* name = nullptr;
  const int domain = is_driver ? cupti::kDriverDomain : cupti::kRuntimeDomain;
  if (api_.call_name(domain, call.call, &name) != cupti::kSuccess || name == nullptr) {
    return fmt::format("{} call {}", is_driver ? "driver" : "runtime", call.call);
  }
  return std::string(without_version(name));
}

Result<std::vector<ApiCall>> ApiRecording::take() {
  STROBE_TRY_VOID(
      api_.check(api_.flush_all(cupti::kFlushForced), "cuptiActivityFlushAll", kForApiCalls));
  auto [kernels, calls, dropped] = ActivityMailbox::of_process().take();
  if (dropped > 0) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = fmt::format("CUPTI lost the records of {} calls", dropped),
                 .where = std::string(kForApiCalls.flag),
                 .hint = ""};
  }
  std::erase_if(calls, [&](const cupti::CallRecord& call) {
    return call.start_ns < from_ns_ || call.end_ns > to_ns_ || call.end_ns < call.start_ns;
  });
  std::vector<ApiCall> found;
  for (const TimedApiCall& call : nested(std::move(calls))) {
    std::string name = name_of(call.record);
    auto known = std::ranges::find(found, name, &ApiCall::name);
    if (known == found.end()) {
      known = found.insert(found.end(), {.name = std::move(name), .count = 0, .us = 0});
    }
    ++known->count;
    known->us += static_cast<double>(call.own_ns) / 1e3;
  }
  return found;
}

}  // namespace strobe::bench
