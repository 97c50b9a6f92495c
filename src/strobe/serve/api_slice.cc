#include "strobe/analysis/timeline/selection.h"
#include "strobe/analysis/timeline/slice_details.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

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

}  // namespace

Result<std::string> slice_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const SliceId slice, slice_of(query, open));
  const Trace& trace = open.trace();
  const analysis::SliceDetails details = analysis::describe_slice(
      open.timeline(), open.links(), analysis::StepFinder(open.steps()), slice);
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_slice(open, slice, json);
  json.member("kind", kind_code(trace.kind(slice)))
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

}  // namespace strobe::serve
