#include "strobe/agents/toolbox.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/error_text.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

#define STROBE_TRACE_ARGUMENT                                                                      \
  R"J("trace":{"type":"string","description":"a trace or a run as `open` lists it, or its path;)J" \
  R"J( may be left out if there is only one"})J"

// In every tool.
constexpr std::string_view kSizeArguments =
    R"J("limit":{"type":"integer","minimum":1,"maximum":1000,"description":"rows per table )J"
    R"J((default: 5, of query 20)"},"full":{"type":"boolean","description":"a long answer: many rows, whole )J"
    R"J(names (default: false)"})J";

// Of every tool. Small on purpose: agents read it before they ask anything.
constexpr std::string_view kOutputSchema =
    R"J({"type":"object","properties":{"tool":{"type":"string"},"error":{"type":"object"},)J"
    R"J("tables":{"type":"object","description":"name: columns, rows (lists), share_of (what 1 is), )J"
    R"J(evidence (the command that prints all of it)"},"cannot_answer":{"type":"array",)J"
    R"J("description":"what this data cannot tell","items":{"type":"object","properties":)J"
    R"J({"question":{"type":"string"},"reason":{"type":"string"},"record":{"type":"string"}},)J"
    R"J("required":["question","reason","record"]}},"links":{"type":"array"}},)J"
    R"J("required":["tool","cannot_answer","links"]})J";

constexpr Tool kTools[] = {
    {.name = "overview",
     .title = "Where did the time go?",
     .description =
         "Where the time of a recorded run went: findings with their advice, the account of the "
         "average step, idle causes, top kernels and operators, peak memory, and what the "
         "recording "
         "cannot tell. Start here. Example: {\"trace\": \"run/trace.json.gz\"}",
     .question = "where the time went",
     .properties = STROBE_TRACE_ARGUMENT,
     .required = "[]",
     .run = overview_answer},
    {.name = "explain",
     .title = "Why? One finding, step, kernel or slice",
     .description = "Drills into one thing of a trace. Give exactly one of `finding` (its code in "
                    "`overview`), "
                    "`step` (its number), `kernel` (its name or a part of it) or `slice` (its id "
                    "in `search`). "
                    "Example: {\"trace\": \"run/trace.json.gz\", \"kernel\": \"gemm\"}",
     .question = "what is behind it",
     .properties = STROBE_TRACE_ARGUMENT
     R"J(,"finding":{"type":"string","description":"a code, such as one_kernel_dominates"},)J"
     R"J("step":{"type":"integer","description":"the number in the step's name, else its position from 0"},)J"
     R"J("kernel":{"type":"string"},"slice":{"type":"integer","minimum":0})J",
     .required = "[]",
     .run = explain_answer},
    {.name = "compare",
     .title = "What changed between two runs?",
     .description =
         "Compares two runs of one workload: whether the second is slower, how sure that is, the "
         "likely cause with evidence for and against, and what changed most. Example: "
         "{\"normal\": \"before\", \"abnormal\": \"after\"}",
     .question = "whether the abnormal run is slower, and why",
     .properties =
         R"J("normal":{"type":"string","description":"the reference: a trace, a run or its path"},)J"
         R"J("abnormal":{"type":"string","description":"the run that is judged"},)J"
         R"J("cycle":{"type":"string","description":"how runs are cut into cycles: auto (default), )J"
         R"J(steps, marker=REGEX, frame, kernels, busy or none"})J",
     .required = R"J(["normal","abnormal"])J",
     .run = compare_answer},
    {.name = "kernels",
     .title = "Is this kernel as fast as the chip allows?",
     .description =
         "Kernels against the limits of their chip: what bounds each, how much time it could save, "
         "and which neighbours could be one kernel. Needs hardware counters; of a trace it tells "
         "times only. Example: {\"trace\": \"kernels.csv.gz\", \"limit\": 10}",
     .question = "how far the kernels are from the limits of the chip",
     .properties = STROBE_TRACE_ARGUMENT
     R"J(,"chip":{"type":"string","description":"its name, if the file does not say it"})J",
     .required = "[]",
     .run = kernels_answer},
    {.name = "fleet",
     .title = "Which rank keeps the others waiting?",
     .description =
         "Compares the ranks of one run: which one is slow or comes late to the collectives, and "
         "what differs there. Needs the traces of several ranks. Example: {\"run\": \"run\"}",
     .question = "which rank is slow or late",
     .properties =
         R"J("run":{"type":"string","description":"a folder with one trace per rank, as `open` )J"
         R"J(lists it; may be left out if there is only one"})J",
     .required = "[]",
     .run = fleet_answer},
    {.name = "search",
     .title = "Where is it on the timeline?",
     .description =
         "Finds slices (operators, calls, kernels, ranges) by a part of their name, case ignored, "
         "or by a regular expression: how many there are, their time, and the first hits in order "
         "of "
         "time. Example: {\"text\": \"memcpy\"}",
     .question = "where it is on the timeline",
     .properties = STROBE_TRACE_ARGUMENT
     R"J(,"text":{"type":"string"},"regex":{"type":"boolean","description":"(default: false)"})J",
     .required = R"J(["text"])J",
     .run = search_answer},
    {.name = "query",
     .title = "Ask in SQL",
     .description =
         "One read-only statement of SQL (DuckDB's) over the tables of a trace: kernels, copies, "
         "launches, operators, steps, step_account, ranges, slices, counters, memory_events and "
         "others; of a run also ranks, collectives and arrivals. `show tables` lists them, "
         "`describe kernels` lists columns with types. Times are whole nanoseconds on the clock of "
         "the trace: less `origin` of the table traces, they are those of other tools. The name of "
         "a built-in question of strobe is a query, too. "
         "Example: "
         "{\"sql\": \"select name, count(*), sum(dur) from kernels "
         "group "
         "by name order by 3 desc limit 5\"}",
     .question = "the query",
     .properties = STROBE_TRACE_ARGUMENT R"J(,"sql":{"type":"string"})J",
     .required = R"J(["sql"])J",
     .run = query_answer},
    {.name = "open",
     .title = "What is there, and where can I look at it?",
     .description =
         "Without arguments: the traces, runs and lists of kernels that can be asked about. With a "
         "trace: the address of its timeline for a person, at a slice or from `start_ns` to "
         "`end_ns`. Example: {\"trace\": \"run/trace.json.gz\", \"start_ns\": 0, \"end_ns\": "
         "5000000}",
     .question = "what is in the file",
     .properties = STROBE_TRACE_ARGUMENT
     R"J(,"slice":{"type":"integer","minimum":0},"start_ns":{"type":"integer"},)J"
     R"J("end_ns":{"type":"integer"})J",
     .required = "[]",
     .run = open_answer},
};

#undef STROBE_TRACE_ARGUMENT

// Errors quote what was asked, whatever its length.
Error brief(Error error) {
  constexpr std::size_t kMostBytes = 1000;
  for (std::string* part : {&error.what, &error.where, &error.hint}) {
    if (part->size() > kMostBytes) *part = excerpt(*part, kMostBytes);
  }
  return error;
}

ToolReply failed(const Tool& tool, const Error& whole) {
  const Error error = brief(whole);
  ToolReply reply{.text = error_sentence(error), .json = "", .is_error = true};
  if (!error.hint.empty()) reply.text += fmt::format("\n{}", error.hint);
  JsonWriter json(reply.json);
  json.begin_object().member("tool", tool.name).key("error").begin_object();
  json.member("what", error.what).member("where", error.where).member("hint", error.hint);
  json.end_object().key("cannot_answer").begin_array().end_array();
  json.key("links").begin_array().end_array().end_object();
  return reply;
}

bool is_wrong_question(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound ||
         error.code == ErrorCode::kInterrupted;
}

Result<Answer> answer_of(const Tool& tool, const ToolCall& call) {
  auto answer = tool.run(call);
  if (answer || is_wrong_question(answer.error())) return answer;
  const Error error = brief(answer.error());
  Answer none;
  none.cannot(std::string(tool.question), error_sentence(error), error.hint);
  return none;
}

}  // namespace

std::string Tool::input_schema() const {
  return fmt::format(
      R"J({{"type":"object","properties":{{{},{}}},"required":{},"additionalProperties":false}})J",
      properties, kSizeArguments, required);
}

std::span<const Tool> tools() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &Tool::name);
  return found == std::end(kTools) ? nullptr : found;
}

std::string tool_list() {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("tools").begin_array();
  for (const Tool& tool : kTools) {
    json.begin_object()
        .member("name", tool.name)
        .member("title", tool.title)
        .member("description", tool.description);
    json.key("inputSchema").raw(tool.input_schema());
    json.key("outputSchema").raw(kOutputSchema);
    json.key("annotations").raw(R"J({"readOnlyHint":true,"openWorldHint":false})J");
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

ToolReply call_tool(const Tool& tool, std::string_view arguments, Lab& lab, const Watch& watch) {
  const ToolArguments typed(arguments);
  const auto known = typed.expect_known(tool.input_schema());
  if (!known) return failed(tool, known.error());
  const auto size = typed.size();
  if (!size) return failed(tool, size.error());
  auto answer = answer_of(tool, {typed, *size, lab, watch});
  if (!answer) return failed(tool, answer.error());
  return shortened(tool.name, std::move(*answer), *size);
}

}  // namespace strobe::agents
