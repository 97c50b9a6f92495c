#include <cmath>

#include "strobe/analysis/timeline/tile.h"
#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

void write_groups(const OpenTrace& open, JsonWriter& json) {
  json.key("groups").begin_array();
  for (const analysis::TrackGroup& group : open.groups()) {
    json.begin_object().member("name", group.name).member("kind", word_of(group.kind));
    json.key("tracks").begin_array();
    for (const TrackId track : group.tracks) json.value(track.value);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_track(const OpenTrace& open, TrackId id, TrackKind kind, JsonWriter& json) {
  const Track& track = open.trace().tracks()[id.index()];
  json.begin_object()
      .member("track", id.value)
      .member("name", analysis::track_name(open.trace(), id))
      .member("process", open.trace().strings()[track.process])
      .member("thread", open.trace().strings()[track.thread])
      .member("kind", word_of(kind))
      .member("rows", open.timeline().rows_of(id).size())
      .member("slices", open.timeline().slices_on(id))
      .member("busy_ns", open.timeline().busy_ns(id))
      .end_object();
}

void write_counters(const OpenTrace& open, JsonWriter& json) {
  json.key("counters").begin_array();
  for (std::size_t i = 0; i < open.counters().size(); ++i) {
    const analysis::CounterLine& line = open.counters()[i];
    json.begin_object()
        .member("counter", i)
        .member("name", line.name)
        .member("unit", word_of(line.unit))
        .member("max", line.max)
        .end_object();
  }
  json.end_array();
}

void write_steps(const OpenTrace& open, JsonWriter& json) {
  json.key("steps").begin_array();
  for (const analysis::Step& step : open.steps()) {
    json.begin_object()
        .member("name", open.trace().strings()[step.name])
        .member("start_ns", since_origin(open, step.interval.start_ns))
        .member("duration_ns", step.interval.length_ns())
        .end_object();
  }
  json.end_array();
}

void write_row(const OpenTrace& open, const analysis::TileRow& row, NameTable& names,
               JsonWriter& json) {
  const Trace& trace = open.trace();
  NumberList slices;
  for (const SliceId slice : row.wide) {
    slices.add(slice.value);
    slices.add(since_origin(open, trace.start_ns(slice)));
    slices.add(trace.duration_ns(slice));
    slices.add(names.index_of(trace.slices().names[slice.index()]));
    slices.add(kind_code(trace.kind(slice)));
  }
  NumberList dense;
  for (const analysis::DenseStretch& stretch : row.dense) {
    dense.add(stretch.first_column);
    dense.add(stretch.columns);
    dense.add(std::lround(1000 * stretch.covered_share));
    dense.add(static_cast<std::int64_t>(stretch.slices));
    dense.add(names.index_of(stretch.leader.name));
    dense.add(kind_code(stretch.leader.kind));
  }
  json.begin_object().member("track", row.track.value).member("row", row.row);
  json.key("slices").raw(slices.json());
  json.key("dense").raw(dense.json());
  json.end_object();
}

}  // namespace

Result<std::string> timeline_answer(const Query&, const OpenTrace& open) {
  const Interval extent = open.timeline().extent();
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .member("origin_ns", std::to_string(extent.start_ns))
      .member("span_ns", extent.length_ns());
  write_groups(open, json);
  json.key("tracks").begin_array();
  for (const analysis::TrackGroup& group : open.groups()) {
    for (const TrackId track : group.tracks) {
      const TrackKind own = open.trace().tracks()[track.index()].kind;
      write_track(open, track, group.kind == TrackKind::kOther ? group.kind : own, json);
    }
  }
  json.end_array();
  write_counters(open, json);
  write_steps(open, json);
  json.end_object();
  return out;
}

Result<std::string> tile_answer(const Query& query, const OpenTrace& open) {
  analysis::TileRequest request;
  STROBE_TRY(request.window, window_of(query, open));
  STROBE_TRY(request.columns, columns_of(query));
  STROBE_TRY(request.tracks, tracks_of(query, open));
  const std::vector<analysis::TileRow> rows = analysis::make_tile(open.timeline(), request);

  NameTable names(open.trace().strings());
  std::string rows_json;
  JsonWriter rows_writer(rows_json);
  rows_writer.begin_array();
  for (const analysis::TileRow& row : rows) write_row(open, row, names, rows_writer);
  rows_writer.end_array();

  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .member("start_ns", since_origin(open, request.window.start_ns))
      .member("end_ns", since_origin(open, request.window.end_ns))
      .member("columns", request.columns);
  json.key("names");
  names.write(json);
  json.key("rows").raw(rows_json);
  json.end_object();
  return out;
}

}  // namespace strobe::serve
