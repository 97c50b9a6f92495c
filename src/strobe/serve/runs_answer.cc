#include "strobe/serve/runs_answer.h"

#include <map>

#include "strobe/base/json_write.h"
#include "strobe/base/version.h"
#include "strobe/serve/bench_answer.h"
#include "strobe/serve/error_answer.h"

namespace strobe::serve {
namespace {

void text_or_null(std::string_view key, const std::string& text, JsonWriter& json) {
  json.key(key);
  text.empty() ? json.null() : json.value(text);
}

void write_facts(const std::optional<TraceFacts>& known, JsonWriter& json) {
  const TraceFacts facts = known.value_or(TraceFacts{});
  text_or_null("dialect", facts.dialect, json);
  text_or_null("device", facts.device, json);
  json.key("rank");
  facts.rank ? json.value(*facts.rank) : json.null();
  json.key("slices");
  known ? json.value(facts.slices) : json.null();
  json.key("span_ns");
  known ? json.value(facts.span_ns) : json.null();
  text_or_null("import_warning", facts.import_warning, json);
}

void write_trace(const ShelvedTrace& trace, JsonWriter& json) {
  json.begin_object();
  json.member("trace", trace.found.name);
  json.member("worker", trace.found.worker);
  json.member("span", trace.found.span);
  json.member("state", word_of(trace.state));
  json.member("progress", trace.progress);
  json.key("error");
  trace.error ? json.raw(error_object("unreadable", *trace.error)) : json.null();
  json.member("file_bytes", trace.found.stamp.bytes);
  write_facts(trace.facts, json);
  json.end_object();
}

}  // namespace

std::string runs_answer(const std::string& folder, const ShelfView& view) {
  std::map<std::string_view, std::vector<const ShelvedTrace*>> runs;
  for (const ShelvedTrace& trace : view.traces) runs[trace.found.run].push_back(&trace);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("strobe", kVersion);
  json.member("folder", folder);
  json.member("generation", view.generation);
  json.member("loading", view.is_loading);
  json.key("runs").begin_array();
  for (const auto& [name, traces] : runs) {
    json.begin_object().member("name", name).key("traces").begin_array();
    for (const ShelvedTrace* trace : traces) write_trace(*trace, json);
    json.end_array().end_object();
  }
  json.end_array().key("kernel_files").begin_array();
  for (const FoundKernels& file : view.kernel_files) {
    json.begin_object()
        .member("file", file.name)
        .member("file_bytes", file.stamp.bytes)
        .end_object();
  }
  json.end_array();
  write_bench_files(json, view.bench_files);
  json.end_object();
  return text;
}

}  // namespace strobe::serve
