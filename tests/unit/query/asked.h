#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strobe/query/query.h"
#include "strobe/report/query/answer_text.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::query {

// The answer as CSV, or the error's sentence.
inline std::string csv_of(Engine& engine, std::string_view sql, const Limits& limits = {},
                          Error* error = nullptr) {
  const auto failed = [&](const Error& why) {
    if (error != nullptr) *error = why;
    return "error: " + why.what;
  };
  Result<std::unique_ptr<Answer>> answer = engine.ask(sql, limits);
  if (!answer) return failed(answer.error());
  std::string text;
  const auto writer =
      report::answer_writer(report::AnswerFormat::kCsv, (*answer)->columns(), {}, text);
  while (true) {
    const Result<Rows> rows = (*answer)->next();
    if (!rows) return failed(rows.error());
    if (rows->count == 0) return text;
    writer->rows(*rows, text);
  }
}

// Traces of a test, and an engine over them.
class Asked {
 public:
  explicit Asked(std::vector<Trace> traces, const EngineOptions& options = {.threads = 2})
      : traces_(std::move(traces)), reports_(traces_.size()) {
    std::vector<TraceInput> inputs;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      inputs.push_back({.run = i == 0 ? "first" : "second",
                        .rank = 0,
                        .path = "trace.json",
                        .trace = &traces_[i],
                        .import = &reports_[i]});
    }
    auto opened = Engine::open(std::move(inputs), options);
    if (opened) engine_ = std::make_unique<Engine>(std::move(*opened));
  }

  // The answer as CSV, or the error's sentence.
  std::string csv(std::string_view sql, const Limits& limits = {}) {
    if (!engine_) return "no engine";
    return csv_of(*engine_, sql, limits, &error_);
  }

  const Error& error() const { return error_; }

 private:
  std::vector<Trace> traces_;
  std::vector<ImportReport> reports_;
  std::unique_ptr<Engine> engine_;
  Error error_;
};

}  // namespace strobe::query
