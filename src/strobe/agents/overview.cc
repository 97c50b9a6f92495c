#include <fmt/format.h>

#include "strobe/agents/page_links.h"
#include "strobe/agents/summary_parts.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr std::size_t kSentence = 500;
constexpr std::size_t kTopFindings = 2;

// "NVIDIA H200, 73.9 ms, 20 steps, GPU busy 41.8 %": what was recorded.
std::string subject_sentence(const Summarized& summarized) {
  const std::string_view facts = find(summarized.document, "facts").text;
  std::string text = summarized.source.name;
  const auto add = [&](const std::string& part) { text += fmt::format(", {}", part); };
  if (const JsonValue device = find(facts, "device"); device.present()) add(device.as_string());
  if (const auto span = find(facts, "span_ns").as_int64()) {
    add(fmt::format("{} from the first slice to the last", duration_text(*span)));
  }
  if (const auto steps = find(facts, "steps").as_int64()) {
    const bool is_found = find(facts, "cycles_found_by").present();
    add(counted(static_cast<std::uint64_t>(*steps), is_found ? "cycle" : "step"));
  }
  if (const auto busy = find(facts, "device_busy_share").as_double()) {
    add(fmt::format("device busy {} of the span", percent_text(*busy)));
  }
  return text + ".";
}

void add_findings(Answer& answer, const Summarized& summarized, const AnswerSize& size) {
  const JsonValue findings = find(summarized.document, "findings");
  std::size_t said = 0;
  for_each_element(findings.text, [&](const JsonValue& finding) {
    if (said++ >= kTopFindings) return;
    answer.say(fmt::format("{}. What to try: {}.", find(finding.text, "headline").as_string(),
                           find(finding.text, "advice").as_string()));
  });
  AnswerSize sentences = size;
  sentences.text = std::max(size.text, kSentence);
  const std::string evidence = summarized.evidence("");
  add_rows(answer,
           {.name = "findings",
            .evidence = evidence,
            .columns = {"code", "weight", "share", "headline", "advice"}},
           findings, sentences);
}

struct OverviewTable {
  std::string_view key;
  std::string_view view;
  std::vector<std::string_view> columns;
};

void add_overview_tables(Answer& answer, const Summarized& summarized, const AnswerSize& size) {
  const OverviewTable tables[] = {
      {"step_breakdown", "steps", {"label", "per_step_ns", "total_ns", "share"}},
      {"idle",
       "idle",
       {"label", "inside", "idle_total_ns", "idle_share", "longest_at_ns", "source"}},
      {"kernels", "kernel", {"kernel", "calls", "device_total_ns", "device_share", "top_operator"}},
      {"operators", "operator", {"operator", "calls", "host_self_ns", "device_total_ns"}},
      {"memory_peaks", "memory", {"place", "peak_allocated_bytes", "peak_reserved_bytes"}},
      {"ranks", "distributed", {"rank", "step_average_ns", "own_step_ns", "others_waited_ns"}},
      // Of a snapshot of an allocator.
      {"devices", "", {"device", "active_bytes", "reserved_bytes", "peak_allocated_bytes"}},
      {"holders_at_peak", "", {"device", "place", "bytes", "blocks"}},
  };
  for (const OverviewTable& table : tables) {
    AnswerSize own = size;
    if (table.key == "step_breakdown") own.rows = std::max<std::size_t>(own.rows, 10);
    if (table.view.empty() && !summarized.is_snapshot()) continue;
    if (table.key == "ranks" && summarized.source.traces.size() < 2) continue;
    const std::string evidence = summarized.evidence(table.view);
    add_table(answer, {.name = table.key, .evidence = evidence, .columns = table.columns},
              summarized.document, table.key, own);
  }
}

bool has_host_work(const Summarized& summarized) {
  return summarized.has_table("operators") || summarized.has_table("user_ranges") ||
         summarized.has_table("runtime_calls");
}

void add_overview_gaps(Answer& answer, const Summarized& summarized) {
  if (summarized.is_snapshot()) {
    answer.cannot("where the time went", "a snapshot of an allocator holds memory and no time",
                  "record a trace of the same program");
    return;
  }
  if (!has_device_work(summarized)) add_device_gap(answer);
  if (!has_host_work(summarized)) {
    answer.cannot("what the host did while the device was idle, and which operator launched what",
                  "the trace has no work of the host: no operators, ranges or runtime calls",
                  "record the host's operators and runtime calls beside the device");
  }
  if (!has_steps(summarized)) add_step_gap(answer);
  if (!summarized.has_table("memory_peaks")) {
    answer.cannot(
        "who holds memory, and how much at the peak", "the trace has no events of the allocator",
        "switch on the profiler's recording of memory, or take a snapshot of the allocator");
  }
  add_health_gaps(answer, summarized);
}

}  // namespace

Result<Answer> overview_answer(const ToolCall& call) {
  STROBE_TRY(const Summarized summarized, summarize_source(call, "trace"));
  Answer answer;
  answer.say(subject_sentence(summarized));
  add_head(answer, summarized);
  add_findings(answer, summarized, call.size);
  add_overview_tables(answer, summarized, call.size);
  add_overview_gaps(answer, summarized);
  const std::string page = call.lab.page();
  answer.links.push_back({"overview", page_address(page, "overview", summarized.source.traces)});
  if (!summarized.is_snapshot()) {
    answer.links.push_back({"timeline", page_address(page, "timeline", summarized.source.traces)});
  }
  return answer;
}

}  // namespace strobe::agents
