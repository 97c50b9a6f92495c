#pragma once

#include <string>

#include "strobe/base/json_write.h"
#include "strobe/fleet/job.h"

namespace strobe::fleet {

inline void write_step(const RankStep& step, JsonWriter& json) {
  json.begin_object()
      .member("start_ns", step.start_ns)
      .member("end_ns", step.end_ns)
      .member("compute_ns", step.compute_ns)
      .member("copy_ns", step.copy_ns)
      .member("input_ns", step.input_ns)
      .member("host_ns", step.host_ns)
      .member("wait_ns", step.wait_ns)
      .member("transfer_ns", step.transfer_ns)
      .member("kernels", step.kernels)
      .member("longest_host_gap_ns", step.longest_host_gap_ns)
      .member("host_gaps", step.host_gaps)
      .member("collectives", step.collectives)
      .member("last", step.last)
      .member("lateness_ns", step.lateness_ns)
      .member("caused_wait_ns", step.caused_wait_ns)
      .member("held_up_ns", step.held_up_ns)
      .member("in_operators_ns", step.in_operators_ns)
      .end_object();
}

inline void write_row(const CollectiveRow& row, JsonWriter& json) {
  json.begin_object()
      .member("group", row.group)
      .member("kind", row.kind)
      .member("bytes", row.bytes)
      .member("ranks", row.ranks)
      .member("on_host", row.on_host)
      .member("matched", row.matched)
      .member("wait_ns", row.wait_ns)
      .member("transfer_ns", row.transfer_ns)
      .member("median_transfer_ns", row.median_transfer_ns)
      .member("longest_transfer_ns", row.longest_transfer_ns)
      .member("bus_factor", row.bus_factor)
      .key("transfer_by_step")
      .begin_array();
  for (const std::int64_t transfer_ns : row.transfer_by_step) json.value(transfer_ns);
  json.end_array().end_object();
}

// All that a job says, as JSON.
inline std::string text_of(const Job& job) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("steps").begin_array();
  for (const std::string& step : job.steps) json.value(step);
  json.end_array().key("ranks").begin_array();
  for (const RankOfJob& rank : job.ranks) {
    json.begin_object().member("rank", rank.rank).member("file", rank.file).key("steps");
    json.begin_array();
    for (const RankStep& step : rank.steps) write_step(step, json);
    json.end_array().end_object();
  }
  json.end_array().key("collectives").begin_array();
  for (const CollectiveRow& row : job.collectives) write_row(row, json);
  json.end_array().key("mismatches").begin_array();
  for (const Mismatch& mismatch : job.mismatches) {
    json.begin_array().value(word_of(mismatch.kind)).value(mismatch.group).value(mismatch.exchange);
    json.value(mismatch.calls).value(mismatch.first_sequence).value(mismatch.first);
    for (const std::int32_t rank : mismatch.ranks) json.value(rank);
    json.end_array();
  }
  json.end_array().key("clocks").begin_array();
  for (const HostClock& clock : job.clocks.hosts) {
    json.begin_array().value(clock.host).value(clock.island).value(clock.exchanges);
    json.value(clock.offset_ns).value(clock.drift_ppm).value(clock.uncertainty_ns);
    json.value(clock.least_ns.value_or(0)).value(clock.most_ns.value_or(0)).end_array();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace strobe::fleet
