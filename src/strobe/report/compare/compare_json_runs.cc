#include "strobe/report/compare/compare_json_runs.h"

#include <fmt/format.h>

#include "strobe/report/compare/compare_json_rows.h"

namespace strobe::report {
namespace {

using compare::RankMeasure;
using compare::SideFacts;

// Devices in whose numbers the cycle does not count.
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

}  // namespace

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

}  // namespace strobe::report
