#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/compare/causes/cause_rules.h"
#include "strobe/compare/causes/symptoms.h"
#include "strobe/compare/comparison.h"
#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {

// A comparison of two runs of twelve cycles, given by its means: "4 ms in the normal run, 8 in the
// abnormal one" is twelve values around 4 and twelve around 8. Functions that describe apply to the
// function added last.
//
//   CauseSketch(10, 14).kernel("gemm", 4, 8).calls(24, 24).metric("GPU 0", "gpu_usage", 40, 90)
class CauseSketch {
 public:
  CauseSketch(double normal_ms, double abnormal_ms) {
    CycleRow cycle;
    cycle.ms_normal = around(normal_ms);
    cycle.ms_abnormal = around(abnormal_ms);
    cycle.ms = change_between(cycle.ms_normal, cycle.ms_abnormal);
    comparison_.cycles.push_back(std::move(cycle));
    for (SideFacts* side : {&comparison_.normal, &comparison_.abnormal}) add_rank(*side);
    device("Host", 0.9 * normal_ms, 0.9 * abnormal_ms);
    device("GPU 0", 0.5 * normal_ms, 0.5 * normal_ms);
  }

  // Twelve values that vary by half a percent and do not drift.
  static std::vector<double> around(double mean) {
    std::vector<double> values;
    for (const double step : {1, -1, 0, 1, -1, 1, 0, -1, -1, 1, -1, 1}) {
      values.push_back(mean * (1 + 0.005 * step));
    }
    return values;
  }

  CauseSketch& rank(std::int32_t number) {
    rank_ = number;
    if (number > 0) {
      for (SideFacts* side : {&comparison_.normal, &comparison_.abnormal}) add_rank(*side);
    }
    return *this;
  }
  // Milliseconds per cycle in which a device is busy; it is idle for the rest of the cycle.
  CauseSketch& device(const std::string& name, double normal_busy_ms, double abnormal_busy_ms) {
    auto& rows = comparison_.devices;
    std::erase_if(rows,
                  [&](const DeviceRow& row) { return row.device == name && row.rank == rank_; });
    const Change& cycle = comparison_.cycles.front().ms;
    DeviceRow row{.device = name, .rank = rank_, .busy_share = {}, .busy_ms = {}, .idle_ms = {}};
    row.busy_ms = change(normal_busy_ms, abnormal_busy_ms);
    row.busy_share = change(100 * normal_busy_ms / cycle.normal.mean,
                            100 * abnormal_busy_ms / cycle.abnormal.mean);
    row.idle_ms =
        change(cycle.normal.mean - normal_busy_ms, cycle.abnormal.mean - abnormal_busy_ms);
    rows.push_back(std::move(row));
    return *this;
  }

  CauseSketch& function(const std::string& name, FunctionKind kind, double normal_ms,
                        double abnormal_ms) {
    FunctionRow row;
    row.key = {name, kind, is_on_device(kind) ? "GPU 0" : "Host"};
    row.rank = rank_;
    row.ms_per_cycle_normal = around(normal_ms);
    row.ms_per_cycle_abnormal = around(abnormal_ms);
    row.ms = change(normal_ms, abnormal_ms);
    const Change& cycle = comparison_.cycles.front().ms;
    row.beta = change(100 * normal_ms / cycle.normal.mean, 100 * abnormal_ms / cycle.abnormal.mean);
    row.beta.q = row.beta.rank.p;
    row.between_runs_p = kNone;
    comparison_.functions.push_back(std::move(row));
    return calls(normal_ms > 0 ? 10 : 0, abnormal_ms > 0 ? 10 : 0);
  }
  CauseSketch& kernel(const std::string& name, double normal_ms, double abnormal_ms) {
    return function(name, FunctionKind::kKernel, normal_ms, abnormal_ms);
  }
  CauseSketch& op(const std::string& name, double normal_ms, double abnormal_ms) {
    return function(name, FunctionKind::kHostOperator, normal_ms, abnormal_ms);
  }
  CauseSketch& call(const std::string& name, double normal_ms, double abnormal_ms) {
    return function(name, FunctionKind::kRuntimeCall, normal_ms, abnormal_ms);
  }
  CauseSketch& calls(double normal, double abnormal) {
    FunctionRow& row = comparison_.functions.back();
    row.calls_normal = normal;
    row.calls_abnormal = abnormal;
    row.presence_normal = normal > 0 ? 1 : 0;
    row.presence_abnormal = abnormal > 0 ? 1 : 0;
    row.verdict = verdict_of(row);
    return *this;
  }
  CauseSketch& blocks(double normal, double abnormal) {
    comparison_.functions.back().blocks_normal = normal;
    comparison_.functions.back().blocks_abnormal = abnormal;
    return *this;
  }
  CauseSketch& bytes(double normal, double abnormal) {
    comparison_.functions.back().bytes_normal = normal;
    comparison_.functions.back().bytes_abnormal = abnormal;
    return *this;
  }

  // Milliseconds per cycle in which no device works, and what the host does meanwhile.
  CauseSketch& idle(const IdleCause& cause, double normal_ms, double abnormal_ms) {
    comparison_.idle.push_back({.cause = cause,
                                .rank = rank_,
                                .ms = change(normal_ms, abnormal_ms),
                                .ms_per_cycle_normal = around(normal_ms),
                                .ms_per_cycle_abnormal = around(abnormal_ms)});
    return *this;
  }

  // In the unit that the comparison shows: time on a core in ms/s, whatever the sampler counts.
  CauseSketch& metric(const std::string& device, const std::string& name, double normal,
                      double abnormal) {
    MetricRow row;
    row.device = device;
    row.metric = name;
    row.rank = rank_;
    row.info = device::metric_info(name, device);
    row.all = row.busy = change(normal, abnormal);
    row.recording_mean_normal = row.recording_median_normal = normal;
    row.recording_mean_abnormal = row.recording_median_abnormal = abnormal;
    comparison_.metrics.push_back(std::move(row));
    return *this;
  }
  // The chip that the traces name.
  CauseSketch& chip(const std::string& name) {
    for (SideFacts* side : {&comparison_.normal, &comparison_.abnormal}) {
      side->ranks.front().devices.front().chip = name;
    }
    return *this;
  }

  // In both runs, the device described last goes on long after the cycles.
  CauseSketch& outlasts_both() {
    comparison_.devices.back().outlasts_cycles = true;
    comparison_.devices.back().outlasts_both = true;
    return *this;
  }

  Comparison& edit() { return comparison_; }
  const Comparison& comparison() const { return comparison_; }
  Symptoms symptoms(std::int32_t rank = 0) const { return read_symptoms(comparison_, rank); }

  // The causes that some rules find for the rank described last, without comparing them.
  std::vector<Cause> said_by(std::span<const CauseRule> rules) const {
    std::vector<Cause> causes;
    const Symptoms seen = symptoms(rank_);
    for (const CauseRule rule : rules) rule(seen, causes);
    return causes;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  static Change change(double normal, double abnormal) {
    return change_between(around(normal), around(abnormal));
  }
  void add_rank(SideFacts& side) const {
    RankMeasure measure;
    measure.rank = rank_;
    measure.cycles.cycles.resize(12);
    DeviceCycles device;
    device.device = "GPU 0";
    device.is_partial.resize(12);
    measure.devices.push_back(std::move(device));
    side.ranks.push_back(std::move(measure));
  }

  Comparison comparison_;
  std::int32_t rank_ = 0;
};

inline const Cause* find(const std::vector<Cause>& causes, CauseKind kind) {
  const auto found = std::ranges::find(causes, kind, &Cause::kind);
  return found == causes.end() ? nullptr : &*found;
}

inline double score_of(const std::vector<Cause>& causes, CauseKind kind) {
  const Cause* cause = find(causes, kind);
  return cause == nullptr ? 0 : cause->score;
}

inline bool mentions(const std::vector<Evidence>& remarks, std::string_view words) {
  return std::ranges::any_of(remarks, [&](const Evidence& remark) {
    return remark.text.find(words) != std::string::npos;
  });
}

}  // namespace strobe::compare
