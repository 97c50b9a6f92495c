#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/compare/between_runs.h"
#include "strobe/compare/change.h"
#include "strobe/compare/comparison_parts.h"
#include "strobe/compare/measure/measure.h"
#include "strobe/compare/measure/metric_cycles.h"
#include "strobe/compare/sampled_values.h"
#include "strobe/stats/moments.h"
#include "strobe/stats/rank_test.h"

namespace strobe::compare {
namespace {

struct SeriesSample {
  SampledValues all;
  SampledValues busy;
  std::vector<double> recording_means;
  std::vector<double> recording_medians;

  void add(const SeriesCycles& series, const std::vector<std::size_t>& usable) {
    all.begin_run();
    busy.begin_run();
    for (const std::size_t cycle : usable) {
      const std::size_t sample = series.sample_in(cycle);
      if (!std::isnan(series.mean[cycle])) all.add(series.mean[cycle], sample);
      if (!std::isnan(series.busy_mean[cycle])) busy.add(series.busy_mean[cycle], sample);
    }
    if (series.samples == 0) return;
    recording_means.push_back(series.recording_mean);
    recording_medians.push_back(series.recording_median);
  }
};

struct SeriesPair {
  device::MetricInfo info;
  SeriesSample normal;
  SeriesSample abnormal;
};

using SeriesPairs = std::map<std::pair<std::string, std::string>, SeriesPair>;

void add_series(const RankMeasure& measure, analysis::CycleType type,
                SeriesSample SeriesPair::*side, SeriesPairs& pairs) {
  for (const SeriesCycles& series : measure.series) {
    const auto [pair, is_new] = pairs.try_emplace({series.device, series.metric});
    if (is_new) pair->second.info = series.info;
    (pair->second.*side).add(series, usable_cycles(measure, series.device, type));
  }
}

MetricRow metric_row(const std::string& device, const std::string& metric, std::int32_t rank,
                     const SeriesPair& pair) {
  const auto middle = [](const std::vector<double>& of_runs) {
    return of_runs.empty() ? 0 : stats::median_of(of_runs);
  };
  const auto& [info, normal, abnormal] = pair;
  return {.device = device,
          .metric = metric,
          .rank = rank,
          .info = info,
          .all = change_between(normal.all.by_cycle(), abnormal.all.by_cycle()),
          .busy = change_between(normal.busy.by_cycle(), abnormal.busy.by_cycle()),
          .all_by_sample = change_by_sample(normal.all, abnormal.all),
          .busy_by_sample = change_by_sample(normal.busy, abnormal.busy),
          .recording_mean_normal = middle(normal.recording_means),
          .recording_mean_abnormal = middle(abnormal.recording_means),
          .recording_median_normal = typical_value(info, normal.recording_medians),
          .recording_median_abnormal = typical_value(info, abnormal.recording_medians)};
}

// What is tested of a metric. The values of cycles that share samples have no q.
Change* to_test(Change& by_cycle, std::optional<Change>& by_sample) {
  if (!by_sample) return &by_cycle;
  by_cycle.q = std::nan("");
  return &*by_sample;
}

}  // namespace

std::vector<MetricRow> compare_series(const std::vector<PairedRank>& ranks,
                                      analysis::CycleType type) {
  std::vector<MetricRow> rows;
  for (const PairedRank& rank : ranks) {
    SeriesPairs pairs;
    for (const RankMeasure* normal : rank.normals) {
      add_series(*normal, type, &SeriesPair::normal, pairs);
    }
    for (const RankMeasure* abnormal : rank.abnormals) {
      add_series(*abnormal, type, &SeriesPair::abnormal, pairs);
    }
    for (const auto& [key, pair] : pairs) {
      rows.push_back(metric_row(key.first, key.second, rank.rank, pair));
    }
  }
  std::vector<Change*> all;
  std::vector<Change*> busy;
  for (MetricRow& row : rows) {
    all.push_back(to_test(row.all, row.all_by_sample));
    busy.push_back(to_test(row.busy, row.busy_by_sample));
  }
  adjust_family(all);
  adjust_family(busy);
  return rows;
}

namespace {

constexpr std::size_t kAbsent = SIZE_MAX;

// One function in one run of a rank.
struct RunPart {
  const RankMeasure* measure = nullptr;
  std::size_t function = kAbsent;                    // of the measure
  const std::vector<std::size_t>* usable = nullptr;  // cycles
};

using RunParts = std::span<const RunPart>;

// NaN with one run a side.
double between_runs_p(const SideValues& means, FunctionKind kind) {
  if (means.normal.size() + means.abnormal.size() <= 2) return std::nan("");
  const double normal = stats::moments_of(means.normal).mean;
  const double abnormal = stats::moments_of(means.abnormal).mean;
  const double usual = is_on_device(kind) ? kDeviceDeviation : kHostDeviation;
  return between_runs(means, usual * (normal + abnormal) / 2).p_of(means.difference());
}

struct TimeSample {
  std::vector<double> beta;
  std::vector<double> ms;
  std::vector<double> run_ms;  // mean of each run
  double covered_beta = 0;     // means over the cycles
  double mean_calls = 0;
  double calls = 0;  // without the wildest cycles
  double copied_bytes = 0;
  double presence = 0;
  double blocks = 0;  // of the last run that has it
};

// How often per cycle, without the wildest cycles. What only those have keeps its mean.
double usual_count(const std::vector<double>& per_cycle) {
  const double usual = stats::moments_of(stats::winsorized(per_cycle)).mean;
  return usual > 0 ? usual : stats::moments_of(per_cycle).mean;
}

TimeSample times_of(RunParts runs) {
  TimeSample sample;
  std::vector<double> calls;
  std::vector<double> copied_bytes;
  for (const RunPart& run : runs) {
    const FunctionCycles* function =
        run.function == kAbsent ? nullptr : &run.measure->functions[run.function];
    std::vector<double> run_ms;
    for (const std::size_t cycle : *run.usable) {
      const auto length_ns =
          static_cast<double>(run.measure->cycles.cycles[cycle].interval.length_ns());
      const double time_ns = function ? static_cast<double>(function->time_ns[cycle]) : 0;
      sample.beta.push_back(time_ns / length_ns * 100);
      sample.ms.push_back(time_ns * 1e-6);
      run_ms.push_back(time_ns * 1e-6);
      calls.push_back(0);
      copied_bytes.push_back(0);
      if (function == nullptr) continue;
      sample.covered_beta += static_cast<double>(function->covered_ns[cycle]) / length_ns * 100;
      calls.back() = function->calls[cycle];
      if (!function->copied_bytes.empty()) {
        copied_bytes.back() = static_cast<double>(function->copied_bytes[cycle]);
      }
      sample.presence += function->calls[cycle] > 0 || function->time_ns[cycle] > 0 ? 1 : 0;
    }
    if (function != nullptr && function->blocks > 0) sample.blocks = function->blocks;
    if (!run_ms.empty()) sample.run_ms.push_back(core_mean_of(run_ms));
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, sample.beta.size()));
  sample.covered_beta /= n;
  sample.mean_calls = stats::moments_of(calls).mean;
  sample.calls = usual_count(calls);
  sample.copied_bytes = usual_count(copied_bytes);
  sample.presence /= n;
  return sample;
}

// The same function by the cycles that launched it.
struct LaunchedSample {
  bool is_known = true;
  bool outlasts_cycles = false;
  std::vector<double> ms = {};
  std::vector<double> run_ms = {};  // mean of each run
  double calls = 0;                 // mean over the cycles
};

LaunchedSample launched_of(RunParts runs, const std::string& device) {
  LaunchedSample sample;
  std::vector<double> calls;
  for (const RunPart& run : runs) {
    const auto& devices = run.measure->devices;
    const auto found = std::ranges::find(devices, device, &DeviceCycles::device);
    const FunctionCycles* function =
        run.function == kAbsent ? nullptr : &run.measure->functions[run.function];
    const bool is_known = found != devices.end() && !found->launched_ns.empty() &&
                          (function == nullptr || !function->launched_ns.empty());
    if (!is_known) return {.is_known = false};
    sample.outlasts_cycles |= found->outlasts_cycles;
    std::vector<double> ms;
    for (const std::size_t cycle : *run.usable) {
      ms.push_back(function ? static_cast<double>(function->launched_ns[cycle]) * 1e-6 : 0);
      calls.push_back(function ? function->launched_calls[cycle] : 0);
    }
    if (!ms.empty()) sample.run_ms.push_back(core_mean_of(ms));
    sample.ms.insert(sample.ms.end(), ms.begin(), ms.end());
  }
  sample.calls = usual_count(calls);
  return sample;
}

struct MetricSample {
  SampledValues mu;
  double sigma = 0;  // means over the cycles
  double coverage = 0;
  std::size_t cycles_with_time = 0;

  void add(const MetricCycles& metric, const SeriesCycles& series,
           const std::vector<std::size_t>& usable) {
    mu.begin_run();
    for (const std::size_t cycle : usable) {
      if (std::isnan(metric.coverage[cycle])) continue;
      coverage += metric.coverage[cycle];
      ++cycles_with_time;
      if (std::isnan(metric.mean[cycle])) continue;
      mu.add(metric.mean[cycle], series.sample_in(cycle));
      sigma += metric.deviation[cycle];
    }
  }
  void finish() {
    const std::size_t n = mu.by_cycle().size();
    if (n > 0) sigma /= static_cast<double>(n);
    if (cycles_with_time > 0) coverage /= static_cast<double>(cycles_with_time);
  }
};

struct MetricPair {
  device::MetricInfo info;
  MetricSample normal;
  MetricSample abnormal;
};

using MetricPairs = std::map<std::string_view, MetricPair>;

void add_metrics(const RunPart& run, MetricSample MetricPair::*side, MetricPairs& pairs) {
  if (run.function == kAbsent) return;
  const auto& metrics = run.measure->metrics;
  auto metric = std::lower_bound(
      metrics.begin(), metrics.end(), run.function,
      [](const MetricCycles& m, std::size_t function) { return m.function < function; });
  for (; metric != metrics.end() && metric->function == run.function; ++metric) {
    const SeriesCycles& series = run.measure->series[metric->series];
    const auto [pair, is_new] = pairs.try_emplace(series.metric);
    if (is_new) pair->second.info = series.info;
    (pair->second.*side).add(*metric, series, *run.usable);
  }
}

// Rows of one rank and one type of cycles.
class RankRows {
 public:
  RankRows(const PairedRank& pair, analysis::CycleType type, FunctionRows& rows)
      : pair_(pair), type_(type), rows_(rows) {}

  void add_all() {
    std::map<FunctionKey, std::vector<std::size_t>> functions;  // per run, the abnormal ones last
    std::vector<const RankMeasure*> runs = pair_.normals;
    runs.insert(runs.end(), pair_.abnormals.begin(), pair_.abnormals.end());
    for (std::size_t run = 0; run < runs.size(); ++run) {
      for (std::size_t i = 0; i < runs[run]->functions.size(); ++i) {
        auto& places = functions[runs[run]->functions[i].key];
        places.resize(runs.size(), kAbsent);
        places[run] = i;
      }
    }
    for (const auto& [key, places] : functions) {
      std::vector<RunPart> parts;
      for (std::size_t run = 0; run < runs.size(); ++run) {
        parts.push_back({runs[run], places[run], &usable(*runs[run], key.device)});
      }
      const RunParts all(parts);
      add(key, all.first(pair_.normals.size()), all.subspan(pair_.normals.size()));
    }
  }

 private:
  void add(const FunctionKey& key, RunParts normals, RunParts abnormals) {
    TimeSample normal_times = times_of(normals);
    TimeSample abnormal_times = times_of(abnormals);
    FunctionRow row;
    row.key = key;
    const SideValues launched = add_launched(normals, abnormals, row);
    const bool is_absent = normal_times.presence == 0 && abnormal_times.presence == 0;
    if (is_absent && !row.launched.decides) return;
    row.is_operator = is_operator(normals) || is_operator(abnormals);
    row.rank = pair_.rank;
    row.type = type_;
    row.beta = change_between(normal_times.beta, abnormal_times.beta, 0, &counts_);
    row.ms = change_between(normal_times.ms, abnormal_times.ms, 0, &counts_);
    row.covered_beta_normal = normal_times.covered_beta;
    row.covered_beta_abnormal = abnormal_times.covered_beta;
    row.mean_calls_normal = normal_times.mean_calls;
    row.mean_calls_abnormal = abnormal_times.mean_calls;
    row.calls_normal = normal_times.calls;
    row.calls_abnormal = abnormal_times.calls;
    row.bytes_normal = normal_times.copied_bytes;
    row.bytes_abnormal = abnormal_times.copied_bytes;
    row.blocks_normal = normal_times.blocks;
    row.blocks_abnormal = abnormal_times.blocks;
    row.presence_normal = normal_times.presence;
    row.presence_abnormal = abnormal_times.presence;
    row.between_runs_p =
        row.launched.decides
            ? between_runs_p(launched, key.kind)
            : between_runs_p({normal_times.run_ms, abnormal_times.run_ms}, key.kind);
    row.ms_per_cycle_normal = std::move(normal_times.ms);
    row.ms_per_cycle_abnormal = std::move(abnormal_times.ms);
    rows_.functions.push_back(std::move(row));
    add_triplets(normals, abnormals);
  }

  SideValues add_launched(RunParts normals, RunParts abnormals, FunctionRow& row) {
    LaunchedSample normal_sample = launched_of(normals, row.key.device);
    LaunchedSample abnormal_sample = launched_of(abnormals, row.key.device);
    const bool is_known = is_on_device(row.key.kind) && normal_sample.is_known &&
                          abnormal_sample.is_known &&
                          normal_sample.calls + abnormal_sample.calls > 0;
    if (!is_known) return {};
    row.launched.is_known = true;
    row.launched.decides = normal_sample.outlasts_cycles || abnormal_sample.outlasts_cycles;
    row.launched.calls_normal = normal_sample.calls;
    row.launched.calls_abnormal = abnormal_sample.calls;
    if (!row.launched.decides) return {};
    row.launched.ms = change_between(normal_sample.ms, abnormal_sample.ms, 0, &counts_);
    row.launched.ms_per_cycle_normal = std::move(normal_sample.ms);
    row.launched.ms_per_cycle_abnormal = std::move(abnormal_sample.ms);
    return {std::move(normal_sample.run_ms), std::move(abnormal_sample.run_ms)};
  }

  static bool is_operator(RunParts runs) {
    return std::ranges::any_of(runs, [](const RunPart& run) {
      return run.function != kAbsent && run.measure->functions[run.function].is_operator;
    });
  }

  void add_triplets(RunParts normals, RunParts abnormals) {
    MetricPairs pairs;
    for (const RunPart& run : normals) add_metrics(run, &MetricPair::normal, pairs);
    for (const RunPart& run : abnormals) add_metrics(run, &MetricPair::abnormal, pairs);
    for (auto& [metric, pair] : pairs) {
      const std::vector<double>& normal_mu = pair.normal.mu.by_cycle();
      const std::vector<double>& abnormal_mu = pair.abnormal.mu.by_cycle();
      if (normal_mu.empty() && abnormal_mu.empty()) continue;
      pair.normal.finish();
      pair.abnormal.finish();
      TripletRow row;
      row.function = rows_.functions.size() - 1;
      row.metric = metric;
      row.info = pair.info;
      row.mu = change_between(normal_mu, abnormal_mu, 0, &counts_);
      row.log_mu = log_change(row.mu, normal_mu, abnormal_mu);
      row.mu_by_sample = change_by_sample(pair.normal.mu, pair.abnormal.mu, &counts_);
      row.sigma_normal = pair.normal.sigma;
      row.sigma_abnormal = pair.abnormal.sigma;
      row.coverage_normal = pair.normal.coverage;
      row.coverage_abnormal = pair.abnormal.coverage;
      rows_.triplets.push_back(std::move(row));
    }
  }

  const std::vector<std::size_t>& usable(const RankMeasure& measure, const std::string& device) {
    const auto [found, is_new] = usable_.try_emplace({&measure, device});
    if (is_new) found->second = usable_cycles(measure, device, type_);
    return found->second;
  }

  const PairedRank& pair_;
  analysis::CycleType type_;
  FunctionRows& rows_;
  stats::RankCounts counts_;
  std::map<std::pair<const RankMeasure*, std::string>, std::vector<std::size_t>> usable_;
};

// One test per function and device; a second family per metric, so that ten metrics of one kernel
// do not count as ten pieces of evidence.
void adjust_rows(FunctionRows& rows) {
  std::vector<Change*> betas;
  std::vector<Change*> times;
  std::vector<Change*> launched;
  for (FunctionRow& row : rows.functions) {
    betas.push_back(&row.beta);
    times.push_back(&row.ms);
    if (row.launched.decides) launched.push_back(&row.launched.ms);
  }
  adjust_family(betas);
  adjust_family(times);
  adjust_family(launched);
  std::map<std::string_view, std::vector<Change*>> by_metric;
  for (TripletRow& row : rows.triplets) {
    by_metric[row.metric].push_back(to_test(row.mu, row.mu_by_sample));
  }
  for (const auto& [metric, family] : by_metric) adjust_family(family);
  for (TripletRow& row : rows.triplets) row.log_mu.q = row.tested().q;
}

double slowdown(const Change& ms, double calls_normal, double calls_abnormal) {
  if (calls_normal == 0 || calls_abnormal == 0 || ms.normal.mean == 0) return std::nan("");
  return (ms.abnormal.mean / calls_abnormal) / (ms.normal.mean / calls_normal);
}

}  // namespace

double FunctionRow::call_slowdown() const {
  return slowdown(ms, mean_calls_normal, mean_calls_abnormal);
}

FunctionRows compare_functions(const std::vector<PairedRank>& ranks,
                               const std::vector<analysis::CycleType>& types) {
  FunctionRows rows;
  for (const PairedRank& pair : ranks) {
    for (const analysis::CycleType type : types) RankRows(pair, type, rows).add_all();
  }
  adjust_rows(rows);
  for (FunctionRow& row : rows.functions) row.verdict = verdict_of(row);
  return rows;
}

}  // namespace strobe::compare
