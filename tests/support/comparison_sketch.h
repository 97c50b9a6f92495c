#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/compare/comparison_parts.h"

namespace strobe::compare {

// A comparison defined in a test: cycles first, then functions on a device, each described by the
// calls after it. Statistics are real; q is p, as if every function were tested alone.
//
//   ComparisonSketch({10, 10, 10, 10}, {20, 20, 20, 20})
//       .function("gemm", "GPU 0", {4, 4, 4, 4}, {8, 8, 8, 8})
//       .metric("gpu_sm_frequency", {1980, ...}, {990, ...})
//       .comparison();
class ComparisonSketch {
 public:
  using Values = std::vector<double>;

  ComparisonSketch(const Values& normal_ms, const Values& abnormal_ms) {
    add_side(comparison_.normal, "normal", normal_ms);
    add_side(comparison_.abnormal, "abnormal", abnormal_ms);
    CycleRow row;
    row.ms = change_between(normal_ms, abnormal_ms);
    row.between_runs_p = kNone;
    row.ms_normal = normal_ms;
    row.ms_abnormal = abnormal_ms;
    comparison_.cycles.push_back(row);
  }

  ComparisonSketch& function(const std::string& name, const std::string& device,
                             const Values& normal_ms, const Values& abnormal_ms,
                             std::int32_t rank = 0) {
    FunctionRow row;
    row.key = {name, device == "Host" ? FunctionKind::kHostOperator : FunctionKind::kKernel,
               device};
    row.rank = rank;
    const CycleRow& cycles = comparison_.cycles.front();
    row.ms = change_between(normal_ms, abnormal_ms);
    row.beta = change_between(shares(normal_ms, cycles.ms_normal),
                              shares(abnormal_ms, cycles.ms_abnormal));
    row.beta.q = row.beta.rank.p;
    row.presence_normal = presence(normal_ms);
    row.presence_abnormal = presence(abnormal_ms);
    row.calls_normal = row.mean_calls_normal = row.presence_normal;
    row.calls_abnormal = row.mean_calls_abnormal = row.presence_abnormal;
    row.between_runs_p = kNone;
    row.suspicion = std::abs(row.beta.difference() * row.beta.z);
    row.ms_per_cycle_normal = normal_ms;
    row.ms_per_cycle_abnormal = abnormal_ms;
    row.verdict = verdict_of(row);
    comparison_.functions.push_back(std::move(row));
    return *this;
  }

  // Of the last function and its device.
  ComparisonSketch& metric(const std::string& name, const Values& normal, const Values& abnormal) {
    const FunctionRow& function = comparison_.functions.back();
    TripletRow triplet;
    triplet.function = comparison_.functions.size() - 1;
    triplet.metric = name;
    triplet.info = device::metric_info(name, function.key.device);
    triplet.mu = change_between(normal, abnormal);
    triplet.mu.q = triplet.mu.rank.p;
    triplet.log_mu = triplet.mu;
    triplet.coverage_normal = triplet.coverage_abnormal = 1;
    triplet.suspicion = function.suspicion;
    comparison_.triplets.push_back(triplet);
    MetricRow metric;
    metric.device = function.key.device;
    metric.metric = name;
    metric.info = triplet.info;
    metric.all = metric.busy = triplet.mu;
    comparison_.metrics.push_back(metric);
    for (const auto& [side, values] :
         {std::pair(&comparison_.normal, normal), std::pair(&comparison_.abnormal, abnormal)}) {
      SeriesCycles series;
      series.device = function.key.device;
      series.metric = name;
      series.info = triplet.info;
      series.samples = series.samples_in_cycles = values.size();
      series.mean = series.busy_mean = values;
      side->ranks.front().series.push_back(series);
    }
    return *this;
  }

  // A device that works this share of every cycle.
  ComparisonSketch& device(const std::string& name, double normal_share, double abnormal_share) {
    add_device(comparison_.normal, name, normal_share);
    add_device(comparison_.abnormal, name, abnormal_share);
    DeviceRow row;
    row.device = name;
    row.busy_share = change_between(Values(4, 100 * normal_share), Values(4, 100 * abnormal_share));
    row.busy_share.q = row.busy_share.rank.p;
    comparison_.devices.push_back(row);
    return *this;
  }

  ComparisonSketch& cause(CauseKind kind, double score, const std::string& headline) {
    Cause& cause = comparison_.causes.emplace_back();
    cause.kind = kind;
    cause.score = score;
    cause.headline = headline;
    return *this;
  }
  ComparisonSketch& evidence(const std::string& text, const std::string& metric = {}) {
    comparison_.causes.back().evidence.push_back({.text = text, .function = {}, .metric = metric});
    return *this;
  }
  ComparisonSketch& against(const std::string& text) {
    comparison_.causes.back().against.push_back({.text = text, .function = {}, .metric = {}});
    return *this;
  }
  ComparisonSketch& advice(const std::string& text) {
    comparison_.causes.back().advice = text;
    return *this;
  }
  ComparisonSketch& quality(const std::string& sentence) {
    comparison_.quality.push_back(sentence);
    return *this;
  }
  ComparisonSketch& answer(Answer answer) {
    comparison_.answer = answer;
    return *this;
  }

  Comparison& edit() { return comparison_; }
  const Comparison& comparison() const { return comparison_; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  static void add_side(SideFacts& side, const std::string& label, const Values& ms) {
    side.label = side.folder = label;
    side.path = label + "/trace.json";
    RankMeasure rank;
    rank.path = side.path;
    rank.cycles.method = analysis::CycleMethod::kSteps;
    rank.cycles.marker = "ProfilerStep#N";
    std::int64_t time_ns = 0;
    for (const double length_ms : ms) {
      const auto end_ns = time_ns + static_cast<std::int64_t>(length_ms * 1e6);
      rank.cycles.cycles.push_back(
          {.interval = {time_ns, end_ns},
           .name = "ProfilerStep#" + std::to_string(rank.cycles.cycles.size() + 1)});
      time_ns = end_ns;
    }
    side.ranks.push_back(std::move(rank));
  }

  static void add_device(SideFacts& side, const std::string& name, double share) {
    RankMeasure& rank = side.ranks.front();
    DeviceCycles device;
    device.device = name;
    for (const analysis::Cycle& cycle : rank.cycles.cycles) {
      device.busy_ns.push_back(
          static_cast<std::int64_t>(share * static_cast<double>(cycle.interval.length_ns())));
      device.slices.push_back(10);
      device.is_partial.push_back(false);
    }
    rank.devices.push_back(std::move(device));
  }

  static Values shares(const Values& part_ms, const Values& whole_ms) {
    Values shares;
    for (std::size_t i = 0; i < part_ms.size(); ++i) {
      shares.push_back(100 * part_ms[i] / whole_ms[i]);
    }
    return shares;
  }

  static double presence(const Values& ms) {
    return static_cast<double>(std::ranges::count_if(ms, [](double one) { return one > 0; })) /
           static_cast<double>(ms.size());
  }

  Comparison comparison_;
};

}  // namespace strobe::compare
