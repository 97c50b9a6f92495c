#include "strobe/serve/api.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "strobe/analysis/tables/modules.h"
#include "strobe/compare/side_by_side.h"
#include "strobe/report/render/render.h"
#include "strobe/report/summary/run_report.h"
#include "strobe/report/summary/step_label_text.h"
#include "strobe/serve/api_memory.h"
#include "strobe/serve/api_timeline.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

using OpenTraces = std::vector<std::shared_ptr<const OpenTrace>>;

Result<analysis::Summary> summary_of(const OpenTrace& open,
                                     const std::optional<analysis::NumberRange>& steps) {
  if (!steps) return open.summary();
  analysis::SummaryOptions options;
  STROBE_TRY(options.steps, analysis::find_steps(open.trace(), *steps, "steps"));
  return analysis::summarize(open.trace(), options);
}

bool is_snapshot(const std::shared_ptr<const OpenTrace>& open) {
  return open->snapshot() != nullptr;
}

Result<std::string> summary_answer(const Query& query, const OpenTraces& traces) {
  const auto snapshot = std::ranges::find_if(traces, is_snapshot);
  if (snapshot != traces.end() && traces.size() == 1) return snapshot_summary(**snapshot);
  if (snapshot != traces.end()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "a snapshot of an allocator is summarised by itself",
                 .where = (*snapshot)->name(),
                 .hint = "ask for one snapshot at a time"};
  }
  std::optional<analysis::NumberRange> steps;
  if (const auto typed = query.optional_text("steps")) {
    STROBE_TRY(steps, analysis::number_range("steps", *typed));
  }
  std::vector<report::RunTrace> run;
  for (const auto& open : traces) {
    run.push_back({.path = open->name(), .trace = &open->trace(), .import = &open->report()});
  }
  report::sort_by_rank(run);
  STROBE_TRY_VOID(report::expect_slices(run));
  std::vector<analysis::Summary> summaries;
  for (const report::RunTrace& one : run) {
    const auto open = std::ranges::find_if(
        traces, [&](const auto& candidate) { return &candidate->trace() == one.trace; });
    STROBE_TRY(analysis::Summary summary, summary_of(**open, steps));
    summaries.push_back(std::move(summary));
  }
  return report::render_json(report::run_document(run, summaries, {}));
}

constexpr std::size_t kMostRows = 1000;

void write_trace_side(std::string_view key, const OpenTrace& open, const compare::Side& side,
                      JsonWriter& json) {
  json.key(key)
      .begin_object()
      .member("trace", open.name())
      .member("steps", side.steps)
      .member("warm_up_steps", side.warm_up_steps)
      .member("step_ns", std::llround(side.step.average_ns))
      .member("low_ns", side.step.low_ns)
      .member("high_ns", side.step.high_ns)
      .end_object();
}

bool has_device(const compare::Side& side) {
  constexpr auto kFirstOnHost = static_cast<std::size_t>(analysis::StepLabel::kRuntime);
  return std::any_of(side.label_ns.begin(), side.label_ns.begin() + kFirstOnHost,
                     [](double length_ns) { return length_ns > 0; });
}

void write_labels(const compare::SideBySide& both, std::string_view device, JsonWriter& json) {
  json.key("labels").begin_array();
  for (std::size_t i = 0; i < both.base.label_ns.size(); ++i) {
    if (both.base.label_ns[i] == 0 && both.other.label_ns[i] == 0) continue;
    const auto label = static_cast<analysis::StepLabel>(i);
    json.begin_object()
        .member("name", report::step_label_text(label, device))
        .member("label", analysis::word_of(label))
        .member("base_ns", std::llround(both.base.label_ns[i]))
        .member("other_ns", std::llround(both.other.label_ns[i]))
        .end_object();
  }
  json.end_array();
}

void write_name_side(std::string_view key, const std::optional<compare::NameSide>& side,
                     std::string_view time_key, JsonWriter& json) {
  json.key(key);
  if (!side) {
    json.null();
    return;
  }
  json.begin_object()
      .member("calls", side->calls)
      .member(time_key, std::llround(side->time.average_ns))
      .member("low_ns", side->time.low_ns)
      .member("high_ns", side->time.high_ns)
      .end_object();
}

void write_names(std::string_view key, const std::vector<compare::NameRow>& rows,
                 std::string_view time_key, JsonWriter& json) {
  json.key(key).begin_array();
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    json.begin_object().member("name", rows[i].name);
    write_name_side("base", rows[i].base, time_key, json);
    write_name_side("other", rows[i].other, time_key, json);
    json.member("beyond_spread", rows[i].beyond_spread).end_object();
  }
  json.end_array();
}

std::size_t left_out(const std::vector<compare::NameRow>& rows) {
  return rows.size() - std::min(rows.size(), kMostRows);
}

Result<std::string> diff_answer(const OpenTrace& base, const OpenTrace& other) {
  const compare::SideBySide both = compare::put_side_by_side({base.attributed(), base.steps()},
                                                             {other.attributed(), other.steps()});
  const bool on_device = has_device(both.base) || has_device(both.other);
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("per", both.per_step ? "step" : "trace");
  write_trace_side("base", base, both.base, json);
  write_trace_side("other", other, both.other, json);
  write_labels(both, on_device ? std::string_view(base.trace().traits().device_label) : "", json);
  write_names("operators", both.operators, "host_ns", json);
  write_names("kernels", both.kernels, "device_ns", json);
  json.member("operators_left_out", left_out(both.operators))
      .member("kernels_left_out", left_out(both.kernels))
      .end_object();
  return out;
}

// A row before its children, and a mark where a row ends: the depth of a model depends on the
// trace, so nothing here recurses.
struct Visit {
  const analysis::ModuleRow* row = nullptr;
  bool is_end = false;
};

void push_all(const std::vector<analysis::ModuleRow>& rows, std::vector<Visit>& visits) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) visits.push_back({&*row});
}

Result<std::string> modules_answer(const Query&, const OpenTrace& open) {
  const std::vector<analysis::ModuleRow> modules = analysis::list_modules(open.attributed());
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("modules").begin_array();
  std::vector<Visit> visits;
  push_all(modules, visits);
  while (!visits.empty()) {
    const Visit visit = visits.back();
    visits.pop_back();
    if (visit.is_end) {
      json.end_array().end_object();
      continue;
    }
    const analysis::ModuleRow& row = *visit.row;
    json.begin_object()
        .member("name", row.name)
        .member("calls", row.calls)
        .member("host_ns", row.host_ns)
        .member("host_self_ns", row.host_self_ns)
        .member("device_ns", row.device_ns)
        .member("device_self_ns", row.device_self_ns)
        .member("first_slice", row.first.value);
    json.key("children").begin_array();
    visits.push_back({&row, true});
    push_all(row.children, visits);
  }
  json.end_array().end_object();
  return out;
}

using Answer = Result<std::string> (*)(const Query& query, const TraceLookup& traces);

template <Result<std::string> (*answer)(const Query&, const OpenTrace&)>
Result<std::string> of_trace(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string name, query.text("trace"));
  STROBE_TRY(const auto open, traces(name));
  return answer(query, *open);
}

Result<std::string> of_run(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string first, query.text("trace"));
  OpenTraces run;
  for (const std::string& name : query.texts("trace")) {
    STROBE_TRY(auto open, traces(name));
    run.push_back(std::move(open));
  }
  return summary_answer(query, run);
}

// How far the loaded content of traces reaches. Asking is what has a recording loaded again.
Result<std::string> recording_answer(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string first, query.text("trace"));
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("traces").begin_array();
  for (const std::string& name : query.texts("trace")) {
    STROBE_TRY(const auto open, traces(name));
    json.begin_object()
        .member("trace", name)
        .member("generation", open->edition().generation)
        .member("is_recording", open->edition().is_recording)
        .member("reach_ns", open->shown_time().length_ns())
        .end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> of_two(const Query& query, const TraceLookup& traces) {
  STROBE_TRY(const std::string base_name, query.text("base"));
  STROBE_TRY(const std::string other_name, query.text("other"));
  STROBE_TRY(const auto base, traces(base_name));
  STROBE_TRY(const auto other, traces(other_name));
  return diff_answer(*base, *other);
}

struct Route {
  std::string_view name;
  Answer answer;
};

constexpr Route kRoutes[] = {
    {"summary", of_run},
    {"timeline", of_trace<timeline_answer>},
    {"tile", of_trace<tile_answer>},
    {"slice", of_trace<slice_answer>},
    {"search", of_trace<search_answer>},
    {"selection", of_trace<selection_answer>},
    {"counter", of_trace<counter_answer>},
    {"memory", of_trace<memory_answer>},
    {"modules", of_trace<modules_answer>},
    {"diff", of_two},
    {"recording", recording_answer},
};

}  // namespace

Result<std::string> api_answer(std::string_view route, const Query& query,
                               const TraceLookup& traces) {
  const auto known = std::ranges::find(kRoutes, route, &Route::name);
  return known != std::end(kRoutes) ? known->answer(query, traces) : no_route(route);
}

Error no_route(std::string_view route) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("the API has no route '{}'", route),
          .where = "",
          .hint = "see docs/api.md"};
}

}  // namespace strobe::serve
