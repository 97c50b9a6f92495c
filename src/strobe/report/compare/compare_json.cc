#include "strobe/report/compare/compare_formats.h"

#include <fmt/format.h>

#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/render/json_rows.h"

namespace strobe::report {
namespace {

using compare::Cause;
using compare::Change;
using compare::Comparison;
using compare::CycleRow;
using compare::DeviceRow;
using compare::Evidence;
using compare::FunctionRow;
using compare::MetricRow;
using compare::RankMeasure;
using compare::SideFacts;
using compare::TripletRow;

// The devices for which the cycle does not count.
void write_left_out(JsonWriter& json, const RankMeasure& rank, std::size_t cycle) {
  json.key("left_out_on").begin_array();
  for (const compare::DeviceCycles& device : rank.devices) {
    if (device.is_partial[cycle]) json.value(device.device);
  }
  json.end_array();
}

void write_cycle_list(JsonWriter& json, const RankMeasure& rank) {
  std::size_t next = 0;
  write_rows(json, "list", rank.cycles.cycles, [&](JsonWriter& one, const analysis::Cycle& cycle) {
    one.member("cycle", next + 1)
        .member("name", cycle.name)
        .member("type", word_of(cycle.type))
        .member("start_ns", cycle.interval.start_ns - rank.origin_ns)
        .member("duration_ns", cycle.interval.length_ns());
    write_left_out(one, rank, next++);
  });
}

void write_rank(JsonWriter& json, const RankMeasure& rank) {
  const analysis::CycleList& list = rank.cycles;
  json.begin_object().member("rank", rank.rank).member("path", rank.path);
  json.key("cycles")
      .begin_object()
      .member("count", list.cycles.size())
      .member("method", word_of(list.method))
      .member("clock", word_of(list.clock))
      .member("confidence", word_of(list.confidence))
      .member("marker", list.marker)
      .member("process", list.process);
  json.key("inner_period");
  if (list.inner) {
    json.begin_object()
        .member("kernels", list.inner->kernels)
        .member("match", list.inner->match)
        .end_object();
  } else {
    json.null();
  }
  write_cycle_list(json, rank);
  json.end_object();
  write_rows(json, "series", rank.series, [](JsonWriter& one, const compare::SeriesCycles& series) {
    one.member("device", series.device)
        .member("metric", series.metric)
        .member("unit", series.info.unit)
        .member("samples", series.samples)
        .member("samples_in_cycles", series.samples_in_cycles)
        .member("period_ms", series.period_ns / 1e6)
        .member("mean", series.recording_mean)
        .member("median", series.recording_median);
  });
  write_texts(json, "remarks", rank.remarks);
  json.end_object();
}

void write_side(JsonWriter& json, std::string_view key, const SideFacts& side) {
  json.key(key)
      .begin_object()
      .member("label", side.label)
      .member("path", side.path)
      .member("runs", side.runs);
  json.key("ranks").begin_array();
  for (const RankMeasure& rank : side.ranks) write_rank(json, rank);
  json.end_array().end_object();
}

// Cycles count from 1, as people do.
void write_partial_of(JsonWriter& json, std::string_view key, const SideFacts& side) {
  json.key(key).begin_object();
  for (const RankMeasure& rank : side.ranks) {
    for (const compare::DeviceCycles& device : rank.devices) {
      std::string line;
      JsonWriter one(line);
      one.begin_array();
      for (std::size_t i = 0; i < device.is_partial.size(); ++i) {
        if (device.is_partial[i]) one.value(i + 1);
      }
      one.end_array();
      json.key(side.ranks.size() > 1 ? fmt::format("rank {}, {}", rank.rank, device.device)
                                     : device.device)
          .raw(line);
    }
  }
  json.end_object();
}

void write_runs(JsonWriter& json, const compare::Comparison& comparison) {
  json.key("runs").begin_object();
  write_side(json, "normal", comparison.normal);
  write_side(json, "abnormal", comparison.abnormal);
  json.end_object();
}

void write_partial_cycles(JsonWriter& json, const compare::Comparison& comparison) {
  json.key("partial_cycles").begin_object();
  write_partial_of(json, "normal", comparison.normal);
  write_partial_of(json, "abnormal", comparison.abnormal);
  json.end_object();
}

std::string_view method_word(stats::RankMethod method) {
  constexpr std::string_view kWords[] = {"none", "exact", "permutation", "normal"};
  return kWords[static_cast<std::size_t>(method)];
}

void write_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& numbers) {
  json.key(key).begin_array();
  for (const double number : numbers) json.value(number);
  json.end_array();
}

void write_change(JsonWriter& json, const Change& change) {
  json.begin_object()
      .member("n_normal", change.normal.n)
      .member("n_abnormal", change.abnormal.n)
      .member("mean_normal", change.normal.mean)
      .member("mean_abnormal", change.abnormal.mean)
      .member("difference", change.difference())
      .member("median_normal", change.normal_median)
      .member("median_abnormal", change.abnormal_median)
      .member("deviation_normal", change.normal.deviation)
      .member("deviation_abnormal", change.abnormal.deviation)
      .member("shift", change.shift.shift)
      .member("shift_low", change.shift.low)
      .member("shift_high", change.shift.high)
      .member("cliffs_delta", change.cliffs_delta)
      .member("welch_t", change.welch.t)
      .member("welch_df", change.welch.degrees)
      .member("welch_p", change.welch.p)
      .member("rank_u", change.rank.u_second)
      .member("rank_p", change.rank.p)
      .member("rank_method", method_word(change.rank.method))
      .member("drift_p", change.drift_p)
      .member("q", change.q)
      .member("z", change.z)
      .member("z_floor", change.z_floored)
      .member("too_few", change.too_few)
      .member("degenerate", change.degenerate)
      .end_object();
}

std::vector<double> durations_us(const SideFacts& side) {
  std::vector<double> durations;
  for (const compare::RankMeasure& rank : side.ranks) {
    for (const analysis::Cycle& cycle : rank.cycles.cycles) {
      durations.push_back(static_cast<double>(cycle.interval.length_ns()) / 1000);
    }
  }
  return durations;
}

// Several runs a side decide.
void write_runs(JsonWriter& json, const CycleRow& row) {
  json.key("runs_ms").begin_object();
  for (const auto& [key, run_ms] :
       {std::pair("normal", &row.run_ms_normal), std::pair("abnormal", &row.run_ms_abnormal)}) {
    json.key(key).begin_array();
    for (const double ms : *run_ms) json.value(ms);
    json.end_array();
  }
  json.member("difference", row.run_shift->shift)
      .member("low", row.run_shift->low)
      .member("high", row.run_shift->high)
      .end_object();
}

void write_cycles(JsonWriter& json, const Comparison& comparison) {
  json.key("cycles").begin_object();
  std::string line;
  for (const auto& [key, side] :
       {std::pair("normal", &comparison.normal), std::pair("abnormal", &comparison.abnormal)}) {
    line.clear();
    JsonWriter one(line);
    one.begin_array();
    for (const double us : durations_us(*side)) one.value(us);
    one.end_array();
    json.key(key).raw(line);
  }
  write_rows(json, "types", comparison.cycles, [&](JsonWriter& one, const CycleRow& row) {
    one.member("type", word_of(row.type))
        .member("verdict", direction_of(row, comparison.answer))
        .member("between_runs_p", row.between_runs_p);
    one.key("ms");
    write_change(one, row.ms);
    // Without the wildest cycles.
    one.key("means_ms")
        .begin_object()
        .member("normal", row.ms.normal_core.mean)
        .member("abnormal", row.ms.abnormal_core.mean)
        .member("difference", row.ms.core_shift.shift)
        .member("low", row.ms.core_shift.low)
        .member("high", row.ms.core_shift.high)
        .member("decide", row.shows_means() && !row.run_shift)
        .end_object();
    if (row.run_shift) write_runs(one, row);
  });
  json.end_object();
  const compare::RunNoise& noise = comparison.noise;
  json.key("run_noise")
      .begin_object()
      .member("host_share", noise.host_share)
      .member("paced_share", noise.paced_share)
      .member("host_speed", noise.host_speed)
      .member("host_speed_known", noise.is_speed_known)
      .member("deviation", noise.deviation)
      .member("rest_deviation", noise.rest_deviation)
      .member("degrees", noise.degrees)
      .member("speed_change", noise.speed_change)
      .member("device_change", noise.device_change)
      .end_object();
}

void write_function(JsonWriter& json, const FunctionRow& row) {
  const Change& beta = row.beta;
  json.member("function", row.key.name)
      .member("device", row.key.device)
      .member("kind", word_of(row.key.kind))
      .member("rank", row.rank)
      .member("cycle_type", word_of(row.type))
      .member("verdict", word_of(row.verdict))
      .member("verdict_text", verdict_text(row))
      .member("n_normal", beta.normal.n)
      .member("n_abnormal", beta.abnormal.n)
      .member("beta_normal", beta.normal.mean)
      .member("beta_abnormal", beta.abnormal.mean)
      .member("dbeta", beta.difference())
      .member("covered_beta_normal", row.covered_beta_normal)
      .member("covered_beta_abnormal", row.covered_beta_abnormal)
      .member("ms_normal", row.ms.normal.mean)
      .member("ms_abnormal", row.ms.abnormal.mean)
      .member("hodges_lehmann", beta.shift.shift)
      .member("hodges_lehmann_low", beta.shift.low)
      .member("hodges_lehmann_high", beta.shift.high)
      .member("cliffs_delta", beta.cliffs_delta)
      .member("welch_p", beta.welch.p)
      .member("mwu_exact_p", beta.rank.p)
      .member("z", beta.z)
      .member("z_floor", beta.z_floored)
      .member("calls_normal", row.mean_calls_normal)
      .member("calls_abnormal", row.mean_calls_abnormal)
      .member("q_bh", beta.q)
      .member("presence_normal", row.presence_normal)
      .member("presence_abnormal", row.presence_abnormal)
      .member("between_runs_p", row.between_runs_p)
      .member("call_slowdown", row.call_slowdown())
      .member("impact_ms", row.impact_ms())
      .member("suspicion", row.suspicion)
      .member("robust", row.robust);
  json.key("beta");
  write_change(json, beta);
  json.key("ms");
  write_change(json, row.ms);
  json.key("launched_ms");
  if (row.launched.decides) {
    write_change(json, row.launched.ms);
  } else {
    json.null();
  }
  write_numbers(json, "ms_per_cycle_normal", row.ms_per_cycle_normal);
  write_numbers(json, "ms_per_cycle_abnormal", row.ms_per_cycle_abnormal);
}

// The scores rest on the means of the cycles; tests count a sample that cycles share once.
void write_triplet(JsonWriter& json, const TripletRow& row, const Comparison& comparison) {
  const FunctionRow& function = comparison.functions[row.function];
  const Change& tested = change_of(row);
  json.member("function", function.key.name)
      .member("metric", row.metric)
      .member("device", function.key.device)
      .member("unit", row.info.unit)
      .member("rank", function.rank)
      .member("cycle_type", word_of(function.type))
      .member("n_normal", tested.normal.n)
      .member("n_abnormal", tested.abnormal.n)
      .member("suspicion", row.suspicion)
      .member("robust", row.robust)
      .member("beta_normal", function.beta.normal.mean)
      .member("beta_abnormal", function.beta.abnormal.mean)
      .member("dbeta", function.beta.difference())
      .member("z_beta", function.beta.z)
      .member("p_beta", function.beta.welch.p)
      .member("u_beta", function.beta.rank.p)
      .member("q_beta", function.beta.q)
      .member("mu_normal", row.mu.normal.mean)
      .member("mu_abnormal", row.mu.abnormal.mean)
      .member("dmu", row.mu.difference())
      .member("z_mu", row.mu.z)
      .member("z_log_mu", row.log_mu.z)
      .member("p_mu", tested.welch.p)
      .member("u_mu", tested.rank.p)
      .member("q_mu", tested.q)
      .member("sigma_normal", row.sigma_normal)
      .member("sigma_abnormal", row.sigma_abnormal)
      .member("coverage_normal", row.coverage_normal)
      .member("coverage_abnormal", row.coverage_abnormal)
      .member("mu_median_normal", tested.normal_median)
      .member("mu_median_abnormal", tested.abnormal_median)
      .member("mu_shift", tested.shift.shift)
      .member("mu_shift_low", tested.shift.low)
      .member("mu_shift_high", tested.shift.high)
      .member("mu_cliffs_delta", tested.cliffs_delta)
      .member("cycles_normal", row.mu.normal.n)
      .member("cycles_abnormal", row.mu.abnormal.n);
}

void write_metric(JsonWriter& json, const MetricRow& row) {
  json.member("device", row.device)
      .member("metric", row.metric)
      .member("unit", row.info.unit)
      .member("rank", row.rank)
      .member("told_by", time_of(row) == compare::MetricTime::kBusy ? "busy" : "all")
      .member("changed", is_changed(change_of(row)))
      .member("recording_median_normal", row.recording_median_normal)
      .member("recording_median_abnormal", row.recording_median_abnormal)
      .member("cycles_normal", row.all.normal.n)
      .member("cycles_abnormal", row.all.abnormal.n)
      .member("shares_samples", row.shares_samples(time_of(row)));
  json.key("all");
  write_change(json, row.tested(compare::MetricTime::kCycle));
  json.key("busy");
  write_change(json, row.tested(compare::MetricTime::kBusy));
}

void write_device(JsonWriter& json, const DeviceRow& row) {
  json.member("device", row.device).member("rank", row.rank);
  json.key("busy_percent");
  write_change(json, row.busy_share);
  json.key("busy_ms");
  write_change(json, row.busy_ms);
  json.key("idle_ms");
  write_change(json, row.idle_ms);
  json.member("outlasts_cycles", row.outlasts_cycles)
      .member("overhang_ms_normal", row.overhang_normal_ms)
      .member("overhang_ms_abnormal", row.overhang_abnormal_ms);
  json.key("launched_ms");
  if (row.launched_ms.normal.n > 0) {
    write_change(json, row.launched_ms);
  } else {
    json.null();
  }
}

void write_evidence(JsonWriter& json, std::string_view key, const std::vector<Evidence>& evidence) {
  write_rows(json, key, evidence, [](JsonWriter& one, const Evidence& seen) {
    one.member("text", seen.text).member("function", seen.function).member("metric", seen.metric);
  });
}

void write_cause(JsonWriter& json, const Cause& cause) {
  json.begin_object()
      .member("cause", compare::word_of(cause.kind))
      .member("score", cause.score)
      .member("headline", cause.headline)
      .member("improves", cause.improves)
      .member("explains_ms", cause.explains_ms);
  write_evidence(json, "evidence", cause.evidence);
  write_evidence(json, "against", cause.against);
  json.member("advice", cause.advice).end_object();
}

void write_idle(JsonWriter& json, const compare::IdleCauseRow& row) {
  json.member("kind", analysis::word_of(row.cause.kind))
      .member("name", row.cause.name)
      .member("inside", row.cause.inside)
      .member("rank", row.rank)
      .member("changed", is_changed(row.ms));
  json.key("ms");
  write_change(json, row.ms);
}

void write_launches(JsonWriter& json, const compare::LaunchRow& row) {
  json.member("device", row.device).member("rank", row.rank);
  json.key("delay_us");
  write_change(json, row.delay_us);
  json.key("queue");
  write_change(json, row.queue);
}

}  // namespace

std::string compare_json(const Comparison& comparison) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  json.begin_object().member("schema", "strobe.compare").member("version", 1);
  write_verdict(json, verdict_of(comparison));
  write_runs(json, comparison);
  write_cycles(json, comparison);
  write_partial_cycles(json, comparison);
  json.key("causes").begin_array();
  for (const Cause& cause : comparison.causes) write_cause(json, cause);
  json.end_array();
  write_rows(json, "functions", comparison.functions, write_function);
  write_rows(json, "triplets", comparison.triplets,
             [&](JsonWriter& one, const TripletRow& row) { write_triplet(one, row, comparison); });
  write_rows(json, "metrics", comparison.metrics, write_metric);
  write_rows(json, "devices", comparison.devices, write_device);
  write_rows(json, "idle", comparison.idle, write_idle);
  write_rows(json, "launches", comparison.launches, write_launches);
  write_texts(json, "quality", comparison.quality);
  json.end_object();
  out += "\n";
  return out;
}

}  // namespace strobe::report
