#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/health/health.h"
#include "strobe/readers/trace_reader.h"

// One training loop as PyTorch's profiler writes it, healthy and with one fault at a time: each has
// the findings of its fault, and no others.
namespace strobe::analysis {
namespace {

using ::testing::UnorderedElementsAreArray;

// All times in microseconds. As it stands, 30 kernels of 320 fill a step of 10,000.
struct TrainingLoop {
  int step = 10'000;
  int longer_last_step = 0;       // by so much
  int warm_up = 0;                // before the first step
  int first_call = 0;             // loads code, in the first step
  int loading = 0;                // data, at the start of a step
  std::string_view slow_op = {};  // for 2,000, at the start of a step
  std::string_view slow_call = {};
  int kernels = 30;  // per step
  int kernel = 320;
  int launches_apart = 20;
  int kernel_names = 3;
  int late = 0;     // so long after its launch the first kernel of a step starts
  int devices = 1;  // one after the other
  int copy = 0;     // at the end of a step
  int collective = 0;
  int synchronize = 0;
  bool has_device_work = true;
  bool has_launches = true;
  bool has_open_slice = false;
  long long allocated_bytes = 0;
  long long reserved_bytes = 0;
};

class LoopWriter {
 public:
  explicit LoopWriter(const TrainingLoop& loop) : loop_(loop) {
    if (loop.warm_up > 0) take("cpu_op", "aten::randn", loop.warm_up);
    for (int i = 0; i < 6; ++i) add_step(i);
    if (loop.reserved_bytes > 0) add_memory();
    if (loop.has_open_slice) {
      events_.push_back(R"({"ph":"B","cat":"cpu_op","name":"open","pid":9,"tid":9,"ts":1500})");
    }
  }

  std::string json() const {
    return fmt::format(
        R"({{"schemaVersion":1,"deviceProperties":[)"
        R"({{"id":0,"name":"Test GPU","totalGlobalMem":10000000000}},)"
        R"({{"id":1,"name":"Test GPU","totalGlobalMem":10000000000}}],"traceEvents":[{}]}})",
        fmt::join(events_, ","));
  }

 private:
  void add_step(int number) {
    const int start = now_;
    const int first_call = number == 0 ? loop_.first_call : 0;
    const int length = loop_.step + first_call + (number == 5 ? loop_.longer_last_step : 0);
    add_host("user_annotation", fmt::format("ProfilerStep#{}", number), start, length);
    if (first_call > 0) take("cuda_driver", "cuModuleLoadData", first_call);
    if (loop_.loading > 0) take("user_annotation", "get_batch", loop_.loading);
    if (!loop_.slow_op.empty()) take("cpu_op", loop_.slow_op, 2'000);
    if (!loop_.slow_call.empty()) take("cuda_runtime", loop_.slow_call, 2'000);
    free_ = std::max(free_, now_ + loop_.late);
    for (int i = 0; i < loop_.kernels; ++i) {
      add_host("cpu_op", fmt::format("aten::op{}", i % 3), now_, 15);
      launch("kernel", fmt::format("gemm{}", i % loop_.kernel_names), loop_.kernel,
             i * loop_.devices / loop_.kernels);
    }
    if (loop_.copy > 0) launch("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", loop_.copy, 0);
    if (loop_.collective > 0)
      launch("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", loop_.collective, 0);
    if (loop_.synchronize > 0) {
      add_host("cuda_runtime", "cudaStreamSynchronize", now_, loop_.synchronize);
    }
    now_ = start + length;
  }

  void launch(std::string_view category, std::string_view name, int duration, int device) {
    const std::string id = fmt::format(R"("correlation":{})", ++correlation_);
    add_host("cuda_runtime", "cudaLaunchKernel", now_ + 2, 5, id);
    free_ = std::max(free_, now_ + 10);
    if (loop_.has_device_work) {
      const std::string place = fmt::format(R"("device":{},"stream":7)", device);
      add(category, name, device, 7, free_, duration,
          loop_.has_launches ? place + "," + id : place);
    }
    free_ += duration;
    now_ += loop_.launches_apart;
  }

  // The host spends this time.
  void take(std::string_view category, std::string_view name, int duration) {
    add_host(category, name, now_, duration);
    now_ += duration;
  }

  void add_host(std::string_view category, std::string_view name, int start, int duration,
                std::string_view args = "") {
    add(category, name, 9, 9, start, duration, args);
  }

  void add(std::string_view category, std::string_view name, int process, int thread, int start,
           int duration, std::string_view args) {
    events_.push_back(fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        category, name, process, thread, start, duration, args));
  }

  void add_memory() {
    events_.push_back(fmt::format(
        R"({{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":9,"ts":2000,)"
        R"("args":{{"Device Type":1,"Device Id":0,"Bytes":1024,"Addr":7,"Total Allocated":{},)"
        R"("Total Reserved":{}}}}})",
        loop_.allocated_bytes, loop_.reserved_bytes));
  }

  const TrainingLoop& loop_;
  std::vector<std::string> events_;
  int now_ = 1'000;
  int free_ = 0;  // from then on the device is
  int correlation_ = 0;
};

std::vector<std::string> codes_in(const std::string& json) {
  const auto loaded = readers::read_trace_bytes(json, "loop.json", {.threads = 1});
  if (!loaded) return {loaded.error().what};
  std::vector<std::string> codes;
  for (const Finding& finding : find_in(loaded->trace, summarize(loaded->trace),
                                        {.is_cut_off = loaded->report.is_cut_off()})) {
    codes.push_back(finding.code);
  }
  for (const HealthRemark& remark : judge_health(loaded->trace, loaded->report).remarks) {
    if (remark.verdict != HealthVerdict::kComplete) codes.push_back(remark.code);
  }
  return codes;
}

struct FaultyLoop {
  std::string fault;
  TrainingLoop loop;
  std::vector<std::string> codes;
};

class TrainingLoopTest : public ::testing::TestWithParam<FaultyLoop> {};

TEST_P(TrainingLoopTest, has_the_findings_of_its_fault_and_no_others) {
  EXPECT_THAT(codes_in(LoopWriter(GetParam().loop).json()),
              UnorderedElementsAreArray(GetParam().codes));
}

const FaultyLoop kLoops[] = {
    {"none", {}, {"device_saturated"}},
    {"none_but_short_gaps",
     {.kernels = 60, .kernel = 140, .launches_apart = 160},
     {"nothing_stands_out"}},
    {"one_kernel", {.kernel_names = 2}, {"one_kernel_dominates", "device_saturated"}},
    {"tiny_kernels",
     {.kernels = 400, .kernel = 3, .launches_apart = 24},
     {"many_tiny_kernels", "device_idle_host_bound"}},
    {"slow_launches",
     {.kernels = 90, .kernel = 10, .launches_apart = 100},
     {"device_idle_host_bound"}},
    {"late_start", {.kernels = 24, .late = 2'000}, {"launched_work_waits"}},
    {"slow_loading", {.loading = 2'000, .kernels = 24}, {"device_waits_for_data"}},
    {"slow_call", {.slow_call = "cudaMalloc", .kernels = 24}, {"blocking_call"}},
    {"slow_operator", {.slow_op = "aten::unique", .kernels = 24}, {"idle_in_host_code"}},
    {"copies", {.kernels = 24, .copy = 1'900}, {"copies_dominate", "device_saturated"}},
    {"collectives",
     {.kernels = 24, .collective = 1'900},
     {"exposed_communication", "device_saturated"}},
    {"host_waits", {.synchronize = 8'000}, {"host_waits_for_device", "device_saturated"}},
    {"turns", {.devices = 2}, {"devices_take_turns"}},
    {"one_long_step", {.longer_last_step = 10'000}, {"uneven_steps", "idle_in_host_code"}},
    {"short_steps", {.step = 1'000}, {"device_outlasts_steps", "device_saturated"}},
    {"long_start", {.warm_up = 60'000}, {"start_up", "device_saturated"}},
    {"slow_first_step", {.first_call = 40'000}, {"start_up", "device_saturated"}},
    {"slow_launches_after_a_slow_first_step",
     {.first_call = 400'000, .kernels = 90, .kernel = 10, .launches_apart = 100},
     {"start_up", "device_idle_host_bound"}},
    {"full_memory",
     {.allocated_bytes = 9'000'000'000, .reserved_bytes = 9'500'000'000},
     {"memory_near_capacity", "device_saturated"}},
    {"unused_memory",
     {.allocated_bytes = 3'000'000'000, .reserved_bytes = 5'000'000'000},
     {"memory_reserved_unused", "device_saturated"}},
    {"no_device", {.has_device_work = false}, {"launched_work_not_recorded", "host_gap"}},
    {"no_launches", {.has_launches = false}, {"launches_not_recorded", "device_saturated"}},
    {"open_slice", {.has_open_slice = true}, {"device_saturated"}},
};

INSTANTIATE_TEST_SUITE_P(Faults, TrainingLoopTest, ::testing::ValuesIn(kLoops),
                         [](const auto& one) { return one.param.fault; });

TEST(TrainingLoopsTest, a_file_that_is_cut_off_is_told_so) {
  const std::string whole = LoopWriter(TrainingLoop()).json();
  EXPECT_THAT(codes_in(whole.substr(0, whole.size() * 2 / 3)),
              UnorderedElementsAreArray({"trace_cut_off", "device_saturated"}));
}

}  // namespace
}  // namespace strobe::analysis
