#pragma once

#include <gtest/gtest.h>

#include "strobe/report/summary/summary_report.h"
#include "tests/support/sketch.h"

// A summary by hand, small enough to check every figure of its report.
namespace strobe::report {

using analysis::StepLabel;
using analysis::Summary;
using analysis::TableOptions;
using analysis::View;
using analysis::ViewSet;

// 40 ms from 5 ms on, with 24 ms of device work on two streams. The profiler itself starts at 4 ms.
inline Trace small_trace() {
  Sketch sketch;
  sketch.metadata().traits.dialect = "sketch";
  DeviceProperties device;
  device.name = "Sketch 100";
  device.multiprocessors = 132;
  device.memory_bytes = std::int64_t{80} << 30;
  sketch.metadata().devices = {device};
  return sketch.thread(1)
      .slice("frame", SliceKind::kOther, 5'000'000, 40'000'000)
      .slice("profiler", SliceKind::kProfiler, 4'000'000, 42'000'000)
      .stream(0, 7)
      .slice("gemm", SliceKind::kKernel, 10'000'000, 16'000'000)
      .stream(0, 8)
      .slice("Memcpy", SliceKind::kMemcpy, 10'000'000, 8'000'000)
      .trace();
}

// Two steps, 10 and 20 ms: 15 ms of kernels, 5 ms in runtime calls, 10 ms of nothing.
inline Summary small_summary() {
  Summary summary;
  summary.has_steps = true;
  summary.total_ns = 30'000'000;
  summary.extent = {5'000'000, 45'000'000};
  summary.origin_ns = 4'000'000;
  summary.span_ns = 40'000'000;
  summary.slices = 3;
  summary.device_time_ns = 24'000'000;
  summary.threads = {{"1", "1", "", false, 8, 20'000'000, 20'000'000}};
  for (const std::int64_t unit_ns : {1'000'000, 2'000'000}) {
    analysis::StepRow step;
    step.name = "step";
    step.interval = {5'000'000 + 10 * (unit_ns - 1'000'000), 0};
    step.interval.end_ns = step.interval.start_ns + 10 * unit_ns;
    step.label_ns[static_cast<int>(StepLabel::kKernel)] = 5 * unit_ns;
    step.label_ns[static_cast<int>(StepLabel::kRuntime)] = 5 * unit_ns / 3;
    step.label_ns[static_cast<int>(StepLabel::kIdle)] =
        10 * unit_ns - 5 * unit_ns - 5 * unit_ns / 3;
    summary.steps.push_back(step);
  }
  summary.devices = {{0, 15'000'000, 16'000'000, 12}};
  analysis::OperatorRow add;
  add.name = "add";
  add.host = {4, 8'000'000, 3'000'000, 1'000'000};
  add.device = {4, 6'000'000, 2'000'000, 1'000'000};
  add.self_host_ns = 6'000'000;
  add.self_device_ns = 6'000'000;
  analysis::OperatorRow linear = add;
  linear.name = "linear";
  linear.host.total_ns = 9'000'000;
  linear.self_host_ns = 2'000'000;
  linear.self_device_ns = 0;
  summary.operators = {{"", {add, linear}}};
  summary.kernels = {{"gemm",
                      {10, 12'000'000, 2'000'000, 1'000'000},
                      false,
                      {{"addmm", "linear", 9'000'000}, {"", "", 3'000'000}}},
                     {"copy", {2, 3'000'000, 2'000'000, 1'000'000}, false, {{"", "", 3'000'000}}}};
  return summary;
}

class SummarySketch : public ::testing::Test {
 protected:
  RankInput rank(std::string name) {
    return {std::move(name), &trace_, &summary_, &import_, {}, {}};
  }
  Document document(const TableOptions& options = {}, bool verbose = false) {
    return summary_document({rank("run.json")}, summary_, {}, options, verbose);
  }
  static TableOptions only(View view) {
    TableOptions options;
    options.views = ViewSet().with(view);
    return options;
  }
  static std::vector<std::string> keys(const Document& document) {
    std::vector<std::string> keys;
    for (const Section& section : document.sections) keys.push_back(section.key);
    return keys;
  }

  Trace trace_ = small_trace();
  Summary summary_ = small_summary();
  ImportReport import_;
};

}  // namespace strobe::report
