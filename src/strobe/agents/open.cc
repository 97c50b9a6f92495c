#include <fmt/format.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/summary_parts.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kListed = 20;

// Everything that can be asked about.
Result<Answer> list_all(const ToolCall& call) {
  STROBE_TRY(const std::string body, call.lab.ask("runs", {}, call.watch));
  Answer answer;
  AnswerSize size = call.size;
  size.rows = std::max(size.rows, kListed);
  AnswerTable traces{.name = "traces",
                     .head = R"("columns":["trace","run","file_bytes","error"],"evidence":)"
                             R"("the folder that was given at the start")",
                     .rows = {}};
  std::size_t runs = 0;
  for_each_element(find(body, "runs").text, [&](const JsonValue& run) {
    ++runs;
    const std::string name = brief_json(find(run.text, "name"), size.text);
    for_each_element(find(run.text, "traces").text, [&](const JsonValue& trace) {
      if (traces.rows.size() == size.rows) {
        ++traces.left_out;
        return;
      }
      const JsonValue error = find(trace.text, "error");
      traces.rows.push_back(json_list_of({brief_json(find(trace.text, "trace"), size.text), name,
                                          brief_json(find(trace.text, "file_bytes"), size.text),
                                          error.type == JsonType::kObject
                                              ? brief_json(find(error.text, "what"), size.text)
                                              : "null"}));
    });
  });
  const std::size_t count = traces.rows.size() + traces.left_out;
  answer.say(fmt::format("{} in {}.", counted(count, "trace"), counted(runs, "run")));
  if (count > 0) {
    answer.tables.push_back(std::move(traces));
  } else {
    answer.cannot(
        "anything", "there is no trace below the folder",
        "record one with `strobe record -- PROGRAM`, or start strobe with another folder");
  }
  add_rows(answer,
           {.name = "kernel_lists",
            .evidence = "the folder that was given at the start",
            .columns = {"file", "file_bytes"}},
           find(body, "kernel_files"), size);
  answer.links.push_back({"all runs", page_address(call.lab.page(), "runs", {})});
  return answer;
}

}  // namespace

Result<Answer> open_answer(const ToolCall& call) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  STROBE_TRY(const std::string typed, call.arguments.text("trace"));
  if (typed.empty()) return list_all(call);
  STROBE_TRY(const auto slice, call.arguments.integer("slice", 0, kMost));
  STROBE_TRY(const auto start, call.arguments.integer("start_ns", -kMost, kMost));
  STROBE_TRY(const auto end, call.arguments.integer("end_ns", -kMost, kMost));
  STROBE_TRY(const Source source, one_trace(call, "trace"));
  STROBE_TRY(const std::string timeline,
             call.lab.ask("timeline", parameters_of(source), call.watch));
  const std::int64_t reach_start = find(timeline, "reach_start_ns").as_int64().value_or(0);
  const std::int64_t reach_end = find(timeline, "reach_end_ns").as_int64().value_or(0);
  Answer answer;
  answer.member("source", json_text_of(source.name));
  answer.member("reach_start_ns", fmt::format("{}", reach_start));
  answer.member("reach_end_ns", fmt::format("{}", reach_end));
  add_rows(answer,
           {.name = "tracks",
            .evidence = "the timeline: one line per thread of the host and stream of a device",
            .columns = {"track", "name", "kind", "slices", "busy_ns"}},
           find(timeline, "tracks"), call.size);
  if (reach_start == reach_end) {
    answer.cannot("when something happened", "the file has no slices and no samples",
                  "record a trace of the program");
    answer.links.push_back({"overview", page_address(call.lab.page(), "overview", source.traces)});
  } else if (slice) {
    Lab::Parameters parameters = parameters_of(source);
    parameters.emplace("slice", fmt::format("{}", *slice));
    STROBE_TRY(const std::string body, call.lab.ask("slice", parameters, call.watch));
    answer.links.push_back(slice_link(call.lab.page(), find(body, "name").as_string(),
                                      source.traces[0], *slice,
                                      find(body, "start_ns").as_int64().value_or(0),
                                      find(body, "duration_ns").as_int64().value_or(0)));
  } else {
    const std::int64_t from = start.value_or(reach_start);
    const std::int64_t to = end.value_or(reach_end);
    if (from >= to || from > reach_end || to < reach_start) {
      return Error{
          .code = ErrorCode::kInvalidArgument,
          .what = fmt::format("nothing of '{}' is from {} to {} ns", source.name, from, to),
          .where = "start_ns",
          .hint = fmt::format("the trace reaches from {} to {} ns", reach_start, reach_end)};
    }
    answer.links.push_back({"timeline", page_address(call.lab.page(), "timeline", source.traces,
                                                     {{"from", fmt::format("{}", from)},
                                                      {"to", fmt::format("{}", to)}})});
  }
  answer.say(fmt::format("{}: {}", source.name, answer.links.back().address));
  return answer;
}

}  // namespace strobe::agents
