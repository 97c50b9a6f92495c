#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/summary_parts.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kWholeSentence = 1000;

// The tables behind a kind of finding, by a word of its code; the first that fits.
struct FindingTables {
  std::string_view word;
  std::array<std::string_view, 3> keys;
};
constexpr FindingTables kFindingTables[] = {
    {"kernel", {"kernels", "streams", "devices"}},
    {"saturated", {"kernels", "streams", "devices"}},
    {"communication", {"communication", "ranks", "kernels"}},
    {"rank", {"ranks", "communication", "step_breakdown"}},
    {"straggler", {"ranks", "communication", "step_breakdown"}},
    {"memory", {"memory_peaks", "memory", "runtime_calls"}},
    {"copies", {"memory_ranges", "kernels", "step_breakdown"}},
    {"step", {"steps", "step_breakdown", "idle"}},
    {"start_up", {"runtime_calls", "steps", "idle"}},
    {"", {"idle", "runtime_calls", "streams"}},
};

// The columns of each of these tables that matter for a cause.
struct CauseColumns {
  std::string_view key;
  std::string_view view;
  std::vector<std::string_view> columns;
};
const std::vector<CauseColumns>& cause_columns() {
  static const std::vector<CauseColumns> columns = {
      {"kernels",
       "kernel",
       {"kernel", "calls", "device_total_ns", "device_share", "device_per_call_ns", "device_max_ns",
        "top_operator"}},
      {"streams",
       "streams",
       {"device", "stream", "works", "busy_share", "median_delay_ns", "max_delay_ns",
        "max_delay_at_ns", "mean_queue"}},
      {"devices", "device", {"device", "kernels", "busy_ns", "busy_share"}},
      {"communication", "distributed", {"what", "calls", "time_ns", "share"}},
      {"ranks",
       "distributed",
       {"rank", "step_average_ns", "own_step_ns", "exposed_step_ns", "last_in",
        "others_waited_ns"}},
      {"memory_peaks", "memory", {"place", "peak_allocated_bytes", "peak_reserved_bytes"}},
      {"memory", "memory", {"name", "place", "allocations", "allocated_bytes", "kept_bytes"}},
      {"memory_ranges",
       "memory-manipulation",
       {"range", "calls", "host_total_ns", "device_total_ns"}},
      {"steps", "steps", {"step", "start_ns", "duration_ns", "state", "kernel_ns", "host_ns"}},
      {"step_breakdown", "steps", {"label", "per_step_ns", "total_ns", "share"}},
      {"idle",
       "idle",
       {"label", "inside", "gaps", "idle_total_ns", "idle_share", "idle_max_ns", "longest_at_ns",
        "source"}},
      {"runtime_calls",
       "runtime",
       {"call", "purpose", "calls", "host_total_ns", "device_idle_ns", "host_max_ns",
        "longest_at_ns", "longest_inside"}},
  };
  return columns;
}

// Where the longest of a table's first row is on the timeline.
void add_longest_link(Answer& answer, const ToolCall& call, const Summarized& summarized,
                      std::string_view key) {
  if (summarized.source.traces.size() != 1) return;  // the row would have to name the rank's trace
  constexpr std::array<std::array<std::string_view, 3>, 2> kPlaces = {
      {{"idle", "longest_at_ns", "idle_max_ns"},
       {"runtime_calls", "longest_at_ns", "host_max_ns"}}};
  const auto place = std::ranges::find(kPlaces, key, [](const auto& one) { return one[0]; });
  if (place == kPlaces.end()) return;
  JsonValue first;
  for_each_element(find(find(find(summarized.document, "tables").text, key).text, "rows").text,
                   [&](const JsonValue& row) {
                     if (!first.present()) first = row;
                   });
  const auto at = find(first.text, (*place)[1]).as_int64();
  const auto length = find(first.text, (*place)[2]).as_int64();
  if (!at || !length) return;
  answer.links.push_back(timeline_link(call.lab.page(), fmt::format("longest of {}", key),
                                       summarized.source.traces[0], *at, *length));
}

JsonValue finding_of(const Summarized& summarized, const std::string& code,
                     std::vector<std::string>& codes) {
  JsonValue found;
  for_each_element(find(summarized.document, "findings").text, [&](const JsonValue& finding) {
    codes.push_back(find(finding.text, "code").as_string());
    if (codes.back() == code && !found.present()) found = finding;
  });
  return found;
}

Result<Answer> explain_finding(const ToolCall& call, const std::string& code) {
  STROBE_TRY(const Summarized summarized, summarize_source(call, "trace"));
  std::vector<std::string> codes;
  const JsonValue finding = finding_of(summarized, code, codes);
  if (!finding.present()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("there is no finding '{}' in '{}'", code.substr(0, 100),
                                     summarized.source.name),
                 .where = "finding",
                 .hint = fmt::format("its findings are {}", fmt::join(codes, ", "))};
  }
  Answer answer;
  answer.member("source", json_text_of(summarized.source.name));
  answer.member("finding", brief_json(finding, kWholeSentence));
  answer.member("evidence", json_text_of(summarized.evidence("")));
  answer.say(find(finding.text, "headline").as_string() + ".");
  for_each_element(find(finding.text, "against").text, [&](const JsonValue& against) {
    answer.say(fmt::format("Against it: {}.", against.as_string()));
  });
  answer.say(fmt::format("What to try: {}.", find(finding.text, "advice").as_string()));
  const auto& tables = *std::ranges::find_if(kFindingTables, [&](const FindingTables& one) {
    return code.find(one.word) != std::string::npos;
  });
  for (const std::string_view key : tables.keys) {
    const auto& own = *std::ranges::find(cause_columns(), key, &CauseColumns::key);
    const std::string evidence = summarized.evidence(own.view);
    if (add_table(answer, {.name = key, .evidence = evidence, .columns = own.columns},
                  summarized.document, key, call.size)) {
      add_longest_link(answer, call, summarized, key);
    }
  }
  add_health_gaps(answer, summarized);
  answer.links.push_back(
      {"overview", page_address(call.lab.page(), "overview", summarized.source.traces)});
  return answer;
}

// "ProfilerStep#7" has the number 7.
bool has_number(std::string_view step, std::int64_t number) {
  const std::size_t end = step.find_last_not_of("0123456789");
  const std::string_view digits = step.substr(end == std::string_view::npos ? 0 : end + 1);
  return !digits.empty() && parse_whole_number(digits) == number;
}

struct StepRow {
  JsonValue row;
  std::size_t count = 0;  // of steps with a number in their names, or of all
  std::string first;      // names of all steps
  std::string last;
};

StepRow find_step_row(const Summarized& summarized, std::int64_t number) {
  const JsonValue table = find(find(summarized.document, "tables").text, "steps");
  StepRow by_name;
  StepRow by_place;
  for_each_element(find(table.text, "rows").text, [&](const JsonValue& row) {
    const std::string name = find(row.text, "step").as_string();
    if (has_number(name, number) && !by_name.row.present()) by_name.row = row;
    by_name.count += !name.empty() && is_digit(name.back()) ? 1 : 0;
    if (by_name.first.empty()) by_name.first = by_place.first = name;
    by_name.last = by_place.last = name;
    if (static_cast<std::int64_t>(by_place.count) == number) by_place.row = row;
    ++by_place.count;
  });
  return by_name.count == by_place.count ? by_name : by_place;
}

Result<Answer> explain_step(const ToolCall& call, std::int64_t number) {
  STROBE_TRY(const Source source, one_trace(call, "trace"));
  STROBE_TRY(const Summarized summarized, summarize_source(call, "trace"));
  Answer answer;
  answer.member("source", json_text_of(source.name));
  if (!has_steps(summarized)) {
    add_step_gap(answer);
    return answer;
  }
  const StepRow step = find_step_row(summarized, number);
  const auto start = find(step.row.text, "start_ns").as_int64();
  const auto length = find(step.row.text, "duration_ns").as_int64();
  if (!start || !length) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("there is no step {} in '{}'", number, source.name),
                 .where = "step",
                 .hint = fmt::format("its steps are '{}' to '{}'", step.first, step.last)};
  }
  answer.member("step", brief_json(step.row, call.size.text));
  answer.member("evidence", json_text_of(summarized.evidence("steps")));
  answer.say(fmt::format("{} of {}: {}, starts at {}.", find(step.row.text, "step").as_string(),
                         source.name, duration_text(*length), duration_text(*start)));
  Lab::Parameters area = parameters_of(source);
  area.emplace("start_ns", fmt::format("{}", *start));
  area.emplace("end_ns", fmt::format("{}", *start + *length));
  STROBE_TRY(const std::string selection, call.lab.ask("selection", area, call.watch));
  add_rows(answer,
           {.name = "inside",
            .evidence = "the slices between its start and its end, on all tracks",
            .columns = {"name", "count", "total_ns", "self_ns", "longest_slice"}},
           find(selection, "top"), call.size);
  answer.links.push_back(
      timeline_link(call.lab.page(), "the step", source.traces[0], *start, *length));
  if (!has_device_work(summarized)) add_device_gap(answer);
  add_health_gaps(answer, summarized);
  return answer;
}

// A name in an answer may have been cut.
std::string without_cut(std::string name) {
  const std::size_t cut = name.find("…");
  return cut == std::string::npos ? name : name.substr(0, cut);
}

std::vector<std::string> first_kernels(const Summarized& summarized) {
  constexpr std::size_t kFew = 5;
  std::vector<std::string> names;
  const JsonValue table = find(find(summarized.document, "tables").text, "kernels");
  for_each_element(find(table.text, "rows").text, [&](const JsonValue& row) {
    if (names.size() < kFew) {
      names.push_back(excerpt(find(row.text, "kernel").as_string(), AnswerSize{}.text));
    }
  });
  return names;
}

Result<Answer> explain_kernel(const ToolCall& call, const std::string& typed) {
  STROBE_TRY(const Source source, one_trace(call, "trace"));
  STROBE_TRY(const Summarized summarized, summarize_source(call, "trace"));
  Answer answer;
  answer.member("source", json_text_of(source.name));
  if (!summarized.has_table("kernels")) {
    add_device_gap(answer);
    add_health_gaps(answer, summarized);
    return answer;
  }
  const std::string part = lower_case(without_cut(typed));
  const std::string evidence = summarized.evidence("kernel");
  JsonValue first;
  const auto is_meant = [&](const JsonValue& row) {
    const bool fits =
        lower_case(find(row.text, "kernel").as_string()).find(part) != std::string::npos;
    if (fits && !first.present()) first = row;
    return fits;
  };
  const bool has_any =
      add_table(answer,
                {.name = "kernels",
                 .evidence = evidence,
                 .columns = {"kernel", "calls", "device_total_ns", "device_share",
                             "device_per_call_ns", "steady_per_call_ns", "device_min_ns",
                             "device_max_ns", "top_operator", "top_operator_share", "role"},
                 .keeps = is_meant},
                summarized.document, "kernels", call.size);
  if (!has_any) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("no kernel of '{}' has '{}' in its name", source.name,
                                     typed.substr(0, 100)),
                 .where = "kernel",
                 .hint = fmt::format("its kernels begin with {}",
                                     fmt::join(first_kernels(summarized), ", "))};
  }
  const std::string name = find(first.text, "kernel").as_string();
  answer.say(fmt::format(
      "{}: {}, {} on the device.", name.substr(0, call.size.text),
      counted(static_cast<std::uint64_t>(find(first.text, "calls").as_int64().value_or(0)), "call"),
      duration_text(find(first.text, "device_total_ns").as_int64().value_or(0))));
  answer.links.push_back(
      {"its longest call", page_address(call.lab.page(), "timeline", source.traces,
                                        {{"q", name}, {"jump", "longest"}})});
  answer.cannot("how far it is from the limits of the chip",
                "a trace has times and no hardware counters",
                "`strobe kernels record -- PROGRAM`, then ask the tool `kernels` about its list");
  add_health_gaps(answer, summarized);
  return answer;
}

Result<Answer> explain_slice(const ToolCall& call, std::int64_t slice) {
  STROBE_TRY(const Source source, one_trace(call, "trace"));
  Lab::Parameters parameters = parameters_of(source);
  parameters.emplace("slice", fmt::format("{}", slice));
  STROBE_TRY(const std::string body, call.lab.ask("slice", parameters, call.watch));
  Answer answer;
  answer.member("source", json_text_of(source.name));
  const std::int64_t start = find(body, "start_ns").as_int64().value_or(0);
  const std::int64_t length = find(body, "duration_ns").as_int64().value_or(0);
  answer.say(fmt::format("{}: starts at {}, takes {}.",
                         find(body, "name").as_string().substr(0, call.size.text),
                         duration_text(start), duration_text(length)));
  for (const std::string_view key :
       {"slice", "name", "category", "track", "start_ns", "duration_ns", "self_ns", "step",
        "device_ns", "kernels", "launch_delay_ns"}) {
    if (const JsonValue value = find(body, key); value.present()) {
      answer.member(std::string(key), brief_json(value, call.size.text));
    }
  }
  if (const JsonValue args = find(body, "args"); args.text.size() <= call.size.bytes / 4) {
    answer.member("args", brief_json(args, call.size.text));
  }
  add_rows(answer,
           {.name = "ancestors",
            .evidence = "the slices that contain it, outermost first",
            .columns = {"slice", "name", "start_ns", "duration_ns"}},
           find(body, "ancestors"), call.size);
  add_rows(answer,
           {.name = "links",
            .evidence = "what launched it, and what it launched",
            .columns = {"kind", "slice", "name", "start_ns", "duration_ns"}},
           find(body, "links"), call.size);
  answer.links.push_back(
      slice_link(call.lab.page(), "the slice", source.traces[0], slice, start, length));
  return answer;
}

}  // namespace

Result<Answer> explain_answer(const ToolCall& call) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  STROBE_TRY(const std::string finding, call.arguments.text("finding"));
  STROBE_TRY(const std::string kernel, call.arguments.text("kernel"));
  STROBE_TRY(const auto step, call.arguments.integer("step", -kMost, kMost));
  STROBE_TRY(const auto slice, call.arguments.integer("slice", 0, kMost));
  const int given =
      (finding.empty() ? 0 : 1) + (kernel.empty() ? 0 : 1) + (step ? 1 : 0) + (slice ? 1 : 0);
  if (given != 1) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "exactly one of finding, step, kernel and slice must be given",
                 .where = "",
                 .hint = "`overview` lists findings and kernels, `search` finds slices"};
  }
  if (!finding.empty()) return explain_finding(call, finding);
  if (!kernel.empty()) return explain_kernel(call, kernel);
  return step ? explain_step(call, *step) : explain_slice(call, *slice);
}

}  // namespace strobe::agents
