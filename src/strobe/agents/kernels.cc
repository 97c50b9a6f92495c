#include <fmt/format.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/summary_parts.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kAdviceText = 500;

std::string share_or_unknown(const JsonValue& totals, std::string_view key) {
  const auto share = find(totals.text, key).as_double();
  return share ? percent_text(*share) : "unknown";
}

Result<Lab::Parameters> kernel_question(const ToolCall& call, Source& source) {
  STROBE_TRY(const std::string typed, call.arguments.text("trace"));
  STROBE_TRY(source, call.lab.find(typed));
  Lab::Parameters parameters;
  if (source.is_kernel_list) {
    parameters.emplace("file", source.name);
  } else {
    STROBE_TRY(source, one_trace(call, "trace"));
    parameters = parameters_of(source);
  }
  STROBE_TRY(const std::string chip, call.arguments.text("chip"));
  if (!chip.empty()) parameters.emplace("chip", chip);
  return parameters;
}

void add_kernel_gaps(Answer& answer, std::string_view document) {
  const JsonValue totals = find(document, "totals");
  const bool has_counters = find(totals.text, "tensor_share").as_double().has_value() ||
                            find(totals.text, "dram_share").as_double().has_value();
  if (!has_counters) {
    answer.cannot("what bounds each kernel, and how much time it could save",
                  "the kernels have times and no hardware counters",
                  "`strobe kernels record -- PROGRAM`, or open a report with the counters of the "
                  "kernels");
  } else if (find(document, "chip").type == JsonType::kNull) {
    answer.cannot("which roof of the chip bounds each kernel",
                  "the file does not name a chip whose peaks are known",
                  "give the argument `chip`; the API lists the known ones");
  }
}

}  // namespace

Result<Answer> kernels_answer(const ToolCall& call) {
  Source source;
  STROBE_TRY(const Lab::Parameters parameters, kernel_question(call, source));
  STROBE_TRY(const std::string document, call.lab.ask("kernels", parameters, call.watch));
  const JsonValue totals = find(document, "totals");
  const std::string evidence = fmt::format("strobe kernels {}", source.name);
  Answer answer;
  answer.say(fmt::format(
      "{}: {} in {}; share of the peak: matrix pipe {}, DRAM {}.", source.name,
      counted(static_cast<std::uint64_t>(find(totals.text, "launches").as_int64().value_or(0)),
              "launch", "launches"),
      duration_text(find(totals.text, "latency_ns").as_int64().value_or(0)),
      share_or_unknown(totals, "tensor_share"), share_or_unknown(totals, "dram_share")));
  answer.member("source", json_text_of(source.name));
  if (const JsonValue chip = find(document, "chip"); chip.type == JsonType::kObject) {
    answer.member("chip", brief_json(find(chip.text, "name"), kAdviceText));
  }
  std::string sums;
  for_each_member(totals.text, [&](std::string_view key, const JsonValue& value) {
    sums +=
        fmt::format("{}\"{}\":{}", sums.empty() ? "" : ",", key, brief_json(value, kAdviceText));
  });
  answer.member("totals", fmt::format("{{{}}}", sums));
  AnswerSize sentences = call.size;
  sentences.text = kAdviceText;
  add_rows(answer,
           {.name = "findings",
            .evidence = evidence,
            .columns = {"code", "weight", "share", "headline", "advice"}},
           find(document, "findings"), sentences);
  add_rows(answer,
           {.name = "kernels",
            .evidence = evidence,
            .columns = {"name", "bound", "launches", "latency_ns", "share", "tensor_share",
                        "dram_share", "headroom_ns"}},
           find(document, "kernels"), call.size);
  add_rows(answer,
           {.name = "bounds",
            .evidence = evidence,
            .columns = {"name", "launches", "latency_ns", "share", "headroom_ns"}},
           find(document, "bounds"), call.size);
  add_rows(
      answer,
      {.name = "fusion",
       .evidence = evidence,
       .columns = {"what", "runs", "launches_per_run", "latency_ns", "saved_ns", "saved_share"}},
      find(find(document, "fusion").text, "groups"), call.size);
  add_kernel_gaps(answer, document);
  answer.links.push_back(
      source.is_kernel_list
          ? Link{"roofline", page_address(call.lab.page(), "roofline", {}, {{"file", source.name}})}
          : Link{"kernels", page_address(call.lab.page(), "kernels", source.traces)});
  return answer;
}

}  // namespace strobe::agents
