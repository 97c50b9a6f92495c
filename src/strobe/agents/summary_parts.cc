#include "strobe/agents/summary_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kFactText = 200;

Error not_a_trace(const Source& source, std::string_view argument) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = fmt::format("'{}' is a list of kernels, not a trace", source.name),
          .where = std::string(argument),
          .hint = "ask the tool `kernels` about it"};
}

bool has_rows(const JsonValue& table) {
  bool has_any = false;
  for_each_element(find(table.text, "rows").text, [&](const JsonValue&) { has_any = true; });
  return has_any;
}

}  // namespace

bool Summarized::is_snapshot() const {
  return find(document, "schema").as_string() == "strobe.memory";
}

bool Summarized::has_table(std::string_view key) const {
  return has_rows(find(find(document, "tables").text, key));
}

std::string Summarized::evidence(std::string_view view) const {
  return view.empty() ? command : fmt::format("{} --views {} --top all", command, view);
}

Result<Summarized> summarize_source(const ToolCall& call, std::string_view argument) {
  STROBE_TRY(const std::string typed, call.arguments.text(argument));
  Summarized summarized;
  STROBE_TRY(summarized.source, call.lab.find(typed));
  if (summarized.source.is_kernel_list) return not_a_trace(summarized.source, argument);
  STROBE_TRY(summarized.document,
             call.lab.ask("summary", parameters_of(summarized.source), call.watch));
  summarized.command = fmt::format("strobe summary {}", summarized.source.name);
  return summarized;
}

Result<Source> one_trace(const ToolCall& call, std::string_view argument) {
  STROBE_TRY(const std::string typed, call.arguments.text(argument));
  STROBE_TRY(Source source, call.lab.find(typed));
  if (source.is_kernel_list) return not_a_trace(source, argument);
  if (source.traces.size() == 1) return source;
  return Error{.code = ErrorCode::kInvalidArgument,
               .what = fmt::format("'{}' has {} traces, and this is about one", source.name,
                                   source.traces.size()),
               .where = std::string(argument),
               .hint = fmt::format("name one of {}", fmt::join(source.traces, ", "))};
}

void add_head(Answer& answer, const Summarized& summarized) {
  answer.member("source", json_text_of(summarized.source.name));
  std::string facts;
  JsonWriter json(facts);
  json.begin_object();
  for_each_member(find(summarized.document, "facts").text,
                  [&](std::string_view key, const JsonValue& value) {
                    if (key != "file") json.key(key).raw(brief_json(value, kFactText));
                  });
  json.end_object();
  answer.member("facts", facts);
  const JsonValue health = find(summarized.document, "health");
  if (health.present()) {
    answer.member("recording", brief_json(find(health.text, "text"), kFactText));
  }
}

void add_health_gaps(Answer& answer, const Summarized& summarized) {
  const JsonValue health = find(summarized.document, "health");
  for_each_element(find(health.text, "remarks").text, [&](const JsonValue& remark) {
    if (find(remark.text, "verdict").as_string() == "complete") return;
    answer.cannot(find(remark.text, "consequence").as_string(),
                  find(remark.text, "seen").as_string(), find(remark.text, "advice").as_string());
  });
}

bool has_device_work(const Summarized& summarized) {
  return summarized.has_table("kernels") || summarized.has_table("devices");
}

bool has_steps(const Summarized& summarized) {
  return find(find(summarized.document, "facts").text, "steps").as_int64().value_or(0) > 0;
}

void add_device_gap(Answer& answer) {
  answer.cannot("what the device did, and whether it waited for the host",
                "the trace has no work of a device: no kernels, copies or memsets",
                "switch on the device's activity in the profiler, or run the program under "
                "`strobe record -- PROGRAM`");
}

void add_step_gap(Answer& answer) {
  answer.cannot("how long a step takes and what it spends its time on",
                "the trace marks no steps, and nothing in it repeats clearly enough to stand for "
                "them",
                "mark each iteration: call the profiler's step() after it, or open a range around "
                "it that is named like a step");
}

Lab::Parameters parameters_of(const Source& source) {
  Lab::Parameters parameters;
  for (const std::string& trace : source.traces) parameters.emplace("trace", trace);
  return parameters;
}

}  // namespace strobe::agents
