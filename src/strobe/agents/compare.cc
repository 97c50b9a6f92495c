#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/toolbox.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kVerdictText = 600;

void say_all(Answer& answer, const JsonValue& sentences) {
  for_each_element(sentences.text,
                   [&](const JsonValue& sentence) { answer.say(sentence.as_string()); });
}

std::string texts_of(const JsonValue& items, std::size_t most, std::size_t most_text) {
  std::vector<std::string> texts;
  for_each_element(items.text, [&](const JsonValue& item) {
    if (texts.size() < most) texts.push_back(brief_json(find(item.text, "text"), most_text));
  });
  return json_list_of(texts);
}

// Causes with what speaks for and against them.
void add_causes(Answer& answer, std::string_view document, const std::string& evidence,
                const AnswerSize& size) {
  constexpr std::size_t kReasons = 3;
  AnswerTable table{.name = "causes", .head = "", .rows = {}};
  for_each_element(find(document, "causes").text, [&](const JsonValue& cause) {
    if (table.rows.size() == size.rows) {
      ++table.left_out;
      return;
    }
    const std::size_t most_text = std::max<std::size_t>(size.text, 300);
    const auto text = [&](std::string_view key) {
      return brief_json(find(cause.text, key), most_text);
    };
    table.rows.push_back(
        json_list_of({text("cause"), text("score"), text("headline"), text("explains_ms"),
                      texts_of(find(cause.text, "evidence"), kReasons, most_text),
                      texts_of(find(cause.text, "against"), kReasons, most_text), text("advice")}));
  });
  if (table.rows.empty()) return;
  table.head = fmt::format(
      R"("columns":["cause","score_of_1","headline","explains_ms","for","against","advice"],)"
      R"("evidence":{})",
      json_text_of(evidence));
  answer.tables.push_back(std::move(table));
}

double impact_of(const JsonValue& row) {
  return std::abs(find(row.text, "impact_ms").as_double().value_or(0));
}

// The functions that changed by the tests, the largest change first.
std::string changed_functions(std::string_view document) {
  std::vector<JsonValue> rows;
  for_each_element(find(document, "functions").text, [&](const JsonValue& row) {
    const std::string verdict = find(row.text, "verdict_text").as_string();
    if (verdict != "~" && !verdict.empty()) rows.push_back(row);
  });
  std::ranges::stable_sort(rows, std::ranges::greater{}, impact_of);
  std::vector<std::string> texts;
  for (const JsonValue& row : rows) texts.emplace_back(row.text);
  return json_list_of(texts);
}

void add_changes(Answer& answer, std::string_view document, const std::string& evidence,
                 const AnswerSize& size) {
  const std::string functions = changed_functions(document);
  add_rows(answer,
           {.name = "functions",
            .evidence = evidence,
            .columns = {"function", "device", "kind", "verdict_text", "ms_normal", "ms_abnormal",
                        "impact_ms", "call_slowdown", "q_bh"}},
           parse_value(functions), size);
  add_rows(answer,
           {.name = "metrics",
            .evidence = evidence,
            .columns = {"device", "metric", "unit", "recording_median_normal",
                        "recording_median_abnormal"},
            .keeps =
                [](const JsonValue& row) {
                  return find(row.text, "changed").as_bool().value_or(false);
                }},
           find(document, "metrics"), size);
}

// Nothing was sampled on a side, so what only samples show stays unknown.
bool has_samples(std::string_view document) {
  bool has_any = false;
  for_each_element(find(document, "metrics").text, [&](const JsonValue&) { has_any = true; });
  return has_any;
}

}  // namespace

Result<Answer> compare_answer(const ToolCall& call) {
  Lab::Parameters parameters;
  std::vector<Source> sides;
  for (const std::string_view name : {"normal", "abnormal"}) {
    STROBE_TRY(const std::string typed, call.arguments.needed(name));
    STROBE_TRY(sides.emplace_back(), call.lab.find(typed));
    parameters.emplace(name, sides.back().name);
  }
  STROBE_TRY(const std::string cycle, call.arguments.text("cycle"));
  if (!cycle.empty()) parameters.emplace("cycle", cycle);
  STROBE_TRY(const std::string document, call.lab.ask("compare", parameters, call.watch));
  const JsonValue verdict = find(document, "verdict");
  const std::string evidence = fmt::format("strobe compare {} {}", sides[0].name, sides[1].name);
  Answer answer;
  say_all(answer, find(verdict.text, "sentences"));
  answer.member("verdict", fmt::format("{{\"answer\":{},\"cause\":{},\"confidence\":{}}}",
                                       brief_json(find(verdict.text, "answer"), kVerdictText),
                                       brief_json(find(verdict.text, "cause"), kVerdictText),
                                       brief_json(find(verdict.text, "confidence"), kVerdictText)));
  add_causes(answer, document, evidence, call.size);
  add_changes(answer, document, evidence, call.size);
  std::string first_doubt;
  std::vector<std::string> doubts;
  for_each_element(find(document, "quality").text, [&](const JsonValue& sentence) {
    if (first_doubt.empty()) first_doubt = sentence.as_string();
    if (doubts.size() < call.size.rows) doubts.push_back(brief_json(sentence, kVerdictText));
  });
  answer.member("doubts", json_list_of(doubts));
  if (find(verdict.text, "answer").as_string() == "cannot_tell") {
    answer.cannot("whether the abnormal run is slower, and why",
                  first_doubt.empty() ? "there are too few cycles for a test" : first_doubt,
                  "record more cycles of both runs, at least ten each, with the same settings");
  }
  if (!has_samples(document)) {
    answer.cannot("whether clocks, power or other programs changed",
                  "there are no samples of the devices beside the traces of both runs",
                  "record the runs with `strobe record`, or put a metrics.csv beside each trace");
  }
  answer.links.push_back(
      {"compare", page_address(call.lab.page(), "compare", {},
                               {{"normal", sides[0].name}, {"abnormal", sides[1].name}})});
  return answer;
}

// The ranks of one run.
Result<Answer> fleet_answer(const ToolCall& call) {
  STROBE_TRY(const std::string typed, call.arguments.text("run"));
  STROBE_TRY(const Source source, call.lab.find(typed));
  Answer answer;
  answer.member("source", json_text_of(source.name));
  if (source.traces.size() < 2) {
    answer.cannot("which rank is slow or late, and what the others wait for",
                  fmt::format("'{}' has {}, so there is nothing to compare it with", source.name,
                              source.is_kernel_list ? "no traces" : "one rank only"),
                  "record every rank, and put the traces of one run into one folder");
    return answer;
  }
  Lab::Parameters parameters;
  parameters.emplace("run", source.name);
  STROBE_TRY(const std::string document, call.lab.ask("compare", parameters, call.watch));
  const JsonValue verdict = find(document, "verdict");
  say_all(answer, find(verdict.text, "sentences"));
  for (const std::string_view key : {"slowest_rank", "late_ranks", "collectives"}) {
    answer.member(std::string(key), brief_json(find(document, key), kVerdictText));
  }
  answer.member("verdict", brief_json(find(verdict.text, "answer"), kVerdictText));
  const std::string evidence = fmt::format("strobe compare {}", source.name);
  AnswerSize size = call.size;
  size.rows = std::max<std::size_t>(size.rows, 8);
  add_rows(answer,
           {.name = "ranks",
            .evidence = evidence,
            .columns = {"rank", "verdict", "cycles", "cycle_ms", "own_ms", "peers_ms",
                        "collectives_ms", "times_last", "collectives", "others_waited_ms",
                        "longest_wait_ms", "longest_wait_at_ms"}},
           find(document, "ranks"), size);
  if (const JsonValue peer = find(document, "against_peer"); peer.type == JsonType::kObject) {
    add_causes(answer, peer.text, evidence, call.size);
  }
  if (find(verdict.text, "answer").as_string() == "cannot_tell") {
    answer.cannot("which rank is slow or late",
                  "there are too few cycles, or they cannot be compared over the ranks",
                  "record at least three steps of every rank at the same time");
  }
  if (find(document, "collectives").as_int64().value_or(0) == 0) {
    answer.cannot("who waits for whom in the collectives",
                  "no collectives could be matched over the ranks",
                  "record the device's communication kernels on every rank, at the same time");
  }
  answer.links.push_back({"ranks", page_address(call.lab.page(), "ranks", source.traces)});
  return answer;
}

}  // namespace strobe::agents
