#include "strobe/analysis/timeline/selection.h"
#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

double share_of(std::int64_t part_ns, std::int64_t whole_ns) {
  return whole_ns == 0 ? 0.0 : static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

}  // namespace

Result<std::string> selection_answer(const Query& query, const OpenTrace& open) {
  analysis::SelectionRequest request;
  STROBE_TRY(request.tracks, tracks_of(query, open));
  STROBE_TRY(request.slices, slices_of(query, open));
  request.window = open.timeline().extent();
  ++request.window.end_ns;  // an empty slice at the very end is part of the trace
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
        .member("kind", kind_code(sum.look.kind))
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
