#include "strobe/serve/api_timeline.h"

#include <cmath>
#include <limits>

#include "strobe/analysis/timeline/selection.h"
#include "strobe/analysis/timeline/slice_details.h"
#include "strobe/analysis/timeline/tile.h"
#include "strobe/base/json_value.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

void write_track_groups(const OpenTrace& open, JsonWriter& json) {
  json.key("groups").begin_array();
  for (const analysis::TrackGroup& group : open.groups()) {
    json.begin_object().member("name", group.name).member("kind", word_of(group.kind));
    json.key("tracks").begin_array();
    for (const TrackId track : group.tracks) json.value(track.value);
    json.end_array().end_object();
  }
  json.end_array();
}

// Conditions have tracks of their own.
bool is_of_conditions(const OpenTrace& open, TrackId track) {
  const auto rows = open.timeline().rows_of(track);
  if (rows.empty()) return false;
  const analysis::LookId look = open.timeline().look(rows.front().begin);
  return open.timeline().looks()[look.index()].kind == SliceKind::kCondition;
}

std::string_view kind_word(const OpenTrace& open, TrackKind group, TrackId track) {
  if (is_of_conditions(open, track)) return "condition";
  const TrackKind own = open.trace().tracks()[track.index()].kind;
  return word_of(group == TrackKind::kOther ? group : own);
}

void write_track(const OpenTrace& open, TrackId id, TrackKind group, JsonWriter& json) {
  const Track& track = open.trace().tracks()[id.index()];
  json.begin_object()
      .member("track", id.value)
      .member("name", analysis::track_name(open.trace(), id))
      .member("process", open.trace().strings()[track.process])
      .member("thread", open.trace().strings()[track.thread])
      .member("kind", kind_word(open, group, id))
      .member("rows", open.timeline().rows_of(id).size())
      .member("slices", open.timeline().slices_on(id))
      .member("busy_ns", open.timeline().busy_ns(id))
      .end_object();
}

void write_counter_lines(const OpenTrace& open, JsonWriter& json) {
  json.key("counters").begin_array();
  for (std::size_t i = 0; i < open.counters().size(); ++i) {
    const analysis::CounterLine& line = open.counters()[i];
    const std::size_t group = analysis::group_of(open.groups(), line.owner);
    json.begin_object()
        .member("counter", i)
        .member("name", line.name)
        .member("label", line.label)
        .member("key", line.key);
    json.key("group");
    group < open.groups().size() ? json.value(group) : json.null();
    json.key("track");
    line.owner.thread.valid() ? json.value(line.owner.thread.value) : json.null();
    json.member("is_main", line.is_main)
        .member("unit", line.unit)
        .member("min", line.min)
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
    slices.add(kind_code(trace, slice));
  }
  NumberList dense;
  for (const analysis::DenseStretch& stretch : row.dense) {
    dense.add(stretch.first_column);
    dense.add(stretch.columns);
    dense.add(std::lround(1000 * stretch.covered_share));
    dense.add(static_cast<std::int64_t>(stretch.slices));
    dense.add(names.index_of(stretch.leader.name));
    dense.add(kind_code(stretch.leader));
  }
  json.begin_object().member("track", row.track.value).member("row", row.row);
  json.key("slices").raw(slices.json());
  json.key("dense").raw(dense.json());
  json.end_object();
}

constexpr std::int64_t kMostMatches = 100'000;

void write_args(const OpenTrace& open, SliceId slice, JsonWriter& json) {
  ArgsReader reader(open.trace().args());
  const JsonValue args = parse_value(reader.text(open.trace().slices().args[slice.index()]));
  if (args.type == JsonType::kObject) {
    copy_json(args, json);
  } else {
    json.begin_object().end_object();
  }
}

void write_links(const OpenTrace& open, const analysis::SliceDetails& details, JsonWriter& json) {
  json.key("ancestors").begin_array();
  for (const SliceId ancestor : details.ancestors) {
    json.begin_object();
    write_slice(open, ancestor, json);
    json.end_object();
  }
  json.end_array();
  json.key("links").begin_array();
  for (const analysis::SliceLink& link : details.links) {
    json.begin_object().member("kind", word_of(link.kind));
    write_slice(open, link.slice, json);
    json.end_object();
  }
  json.end_array().member("links_left_out", details.links_left_out);
}

double share_of(std::int64_t part_ns, std::int64_t whole_ns) {
  return whole_ns == 0 ? 0.0 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

}  // namespace

Result<std::string> timeline_answer(const Query&, const OpenTrace& open) {
  const Interval extent = open.timeline().extent();
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .member("origin_ns", std::to_string(extent.start_ns))
      .member("span_ns", extent.length_ns())
      .member("summary_span_ns", open.trace().extent().length_ns())
      .member("reach_start_ns", since_origin(open, open.timeline().reach().start_ns))
      .member("reach_end_ns", since_origin(open, open.timeline().reach().end_ns))
      .member("generation", open.edition().generation)
      .member("is_recording", open.edition().is_recording);
  write_track_groups(open, json);
  json.key("tracks").begin_array();
  for (const analysis::TrackGroup& group : open.groups()) {
    for (const TrackId track : group.tracks) write_track(open, track, group.kind, json);
  }
  json.end_array();
  write_counter_lines(open, json);
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
      .member("columns", request.columns)
      .member("generation", open.edition().generation);
  json.key("names");
  names.write(json);
  json.key("rows").raw(rows_json);
  json.end_object();
  return out;
}

Result<std::string> counter_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::size_t counter, counter_of(query, open));
  STROBE_TRY(const Interval window, window_of(query, open));
  STROBE_TRY(const std::uint32_t columns, columns_of(query));
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("generation", open.edition().generation);
  json.key("points").begin_array();
  for (const auto& point : analysis::sample(open.counters()[counter], window, columns)) {
    json.begin_array()
        .value(since_origin(open, point.time_ns))
        .value(point.low)
        .value(point.high)
        .end_array();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> slice_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const SliceId slice, slice_of(query, open));
  const Trace& trace = open.trace();
  const analysis::SliceDetails details = analysis::describe_slice(
      open.timeline(), open.links(), analysis::StepFinder(open.steps()), slice);
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_slice(open, slice, json);
  json.member("kind", kind_code(trace, slice))
      .member(
          "category",
          trace
              .strings()[trace.categories()[trace.slices().categories[slice.index()].index()].name])
      .member("self_ns", details.self_ns);
  if (details.step != nullptr) {
    json.member("step", trace.strings()[details.step->name]);
  } else {
    json.key("step").null();
  }
  if (details.started) {
    json.member("device_ns", details.started->device_ns)
        .member("kernels", details.started->kernels);
  } else {
    json.key("device_ns").null().key("kernels").null();
  }
  json.key("launch_delay_ns");
  details.launch_delay_ns ? json.value(*details.launch_delay_ns) : json.null();
  write_links(open, details, json);
  json.key("args");
  write_args(open, slice, json);
  json.end_object();
  return out;
}

Result<std::string> search_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::string text, query.text("q"));
  STROBE_TRY(const std::int64_t is_regex, query.integer_or("regex", 0, 0, 1));
  STROBE_TRY(const std::int64_t limit, query.integer_or("limit", 1000, 0, kMostMatches));
  STROBE_TRY(const std::int64_t offset,
             query.integer_or("offset", 0, 0, std::numeric_limits<std::uint32_t>::max()));
  if (text.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "there is nothing to search for",
                 .where = "q",
                 .hint = "give a part of a name"};
  }
  analysis::NameFilter matches = analysis::name_contains(text);
  if (is_regex == 1) {
    STROBE_TRY(matches, analysis::name_filter("q", text));
  }
  const Trace& trace = open.trace();
  const analysis::SearchAnswer answer = analysis::search_slices(
      trace, matches,
      {.offset = static_cast<std::size_t>(offset), .limit = static_cast<std::size_t>(limit)});
  NameTable names(trace.strings());
  NumberList list;
  for (const SliceId slice : answer.slices) {
    list.begin_list();
    list.add(slice.value);
    list.add(since_origin(open, trace.start_ns(slice)));
    list.add(trace.duration_ns(slice));
    list.add(trace.slices().tracks[slice.index()].value);
    list.add(open.timeline().row_of(slice).row);
    list.add(names.index_of(trace.slices().names[slice.index()]));
    list.end_list();
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("total", answer.total).member("total_ns", answer.total_ns);
  json.key("names");
  names.write(json);
  json.key("matches").raw(list.json());
  json.end_object();
  return out;
}

Result<std::string> selection_answer(const Query& query, const OpenTrace& open) {
  analysis::SelectionRequest request;
  STROBE_TRY(request.tracks, tracks_of(query, open));
  STROBE_TRY(request.slices, slices_of(query, open));
  request.window = open.timeline().extent();
  ++request.window.end_ns;  // an empty slice at the very end belongs to the trace
  const bool has_window = query.optional_text("start_ns") || query.optional_text("end_ns");
  if (!request.slices || has_window) {
    STROBE_TRY(request.window, window_of(query, open));
  }
  const analysis::Selection selection = analysis::add_up_selection(open.timeline(), request);
  const std::int64_t span_ns = request.window.length_ns();
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("span_ns", span_ns).member("slices", selection.slices);
  json.key("tracks").begin_array();
  for (const analysis::SelectedTrack& track : selection.tracks) {
    json.begin_object()
        .member("track", track.track.value)
        .member("slices", track.slices)
        .member("busy_ns", track.busy_ns)
        .member("busy_share", share_of(track.busy_ns, span_ns))
        .end_object();
  }
  json.end_array();
  json.key("top").begin_array();
  for (const analysis::SelectedLook& sum : selection.top) {
    json.begin_object()
        .member("name", open.trace().strings()[sum.look.name])
        .member("kind", kind_code(sum.look))
        .member("count", sum.count)
        .member("total_ns", sum.total_ns)
        .member("self_ns", sum.self_ns)
        .member("longest_slice", sum.longest.value)
        .end_object();
  }
  json.end_array().member("names_left_out", selection.looks_left_out).end_object();
  return out;
}

}  // namespace strobe::serve
