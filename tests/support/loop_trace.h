#pragma once

#include <string>

#include <fmt/format.h>

namespace strobe::test {

// Eight steps of one kernel after another on GPU 0, as a profiler writes them, with samples of a
// clock. Lengths differ a little from step to step, as in reality.
struct LoopTrace {
  int kernel_us = 200;
  int step_us = 1000;
  int steps = 8;
  int rank = -1;  // in the trace; -1: absent

  std::string json() const {
    std::string events;
    for (int i = 0; i < steps; ++i) {
      const int start = 5000 + i * step_us;
      const int kernel = kernel_us + i % 3;
      events += fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{0}","pid":1,"tid":1,"ts":{1},"dur":{2}}},)"
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{3},"dur":5,"args":{{"correlation":{0}}}}},)"
          R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{4},"dur":{5},"args":{{"device":0,"stream":7,"correlation":{0}}}}},)"
          R"({{"ph":"X","cat":"kernel","name":"copy_rows","pid":0,"tid":7,"ts":{6},"dur":{7},"args":{{"device":0,"stream":7}}}},)",
          i + 1, start, step_us - 20 + i % 2, start + 10, start + 20, kernel, start + 30 + kernel,
          50 + i % 2);
    }
    events.pop_back();
    const std::string distributed =
        rank < 0 ? "" : fmt::format(R"("distributedInfo":{{"backend":"nccl","rank":{}}},)", rank);
    return fmt::format(
        R"({{"schemaVersion":1,{}"deviceProperties":[{{"id":0,"name":"Test GPU"}}],"traceEvents":[{}]}})",
        distributed, events);
  }

  // A sample every tenth of a step.
  std::string metrics_csv(int clock_mhz) const {
    std::string text = "ts_us,device,metric,value\n";
    for (int i = 0; i < steps * 10; ++i) {
      text +=
          fmt::format("{},GPU 0,gpu_sm_frequency,{}\n", 5000 + i * step_us / 10, clock_mhz + i % 2);
    }
    return text;
  }
};

}  // namespace strobe::test
