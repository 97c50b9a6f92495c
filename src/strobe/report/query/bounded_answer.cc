#include "strobe/report/query/bounded_answer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <thread>
#include <variant>

#include <fmt/format.h>

#include "strobe/base/apart.h"
#include "strobe/base/json_write.h"

namespace strobe::report {
namespace {

using std::chrono::milliseconds;

constexpr unsigned kMostThreads = 4;
// The engine ends a query by itself in most cases, and then says why.
constexpr milliseconds kGrace{1'000};
// The engine counts most of what it uses, and then says so.
constexpr std::int64_t kEngineShare = 2;
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

std::string_view value_type_word(query::ValueType type) {
  switch (type) {
    case query::ValueType::kBool:
      return "bool";
    case query::ValueType::kWhole:
      return "whole";
    case query::ValueType::kReal:
      return "real";
    case query::ValueType::kText:
      return "text";
  }
  return "text";
}

// The units of columns that have the same unit in every table; "" for the others.
std::map<std::string, std::string> units_of_columns() {
  std::map<std::string, std::string> units;
  for (const query::SchemaTable& table : query::schema()) {
    for (const query::SchemaColumn& column : table.columns) {
      const auto [known, is_new] = units.emplace(column.name, column.unit);
      if (!is_new && known->second != column.unit) known->second.clear();
    }
  }
  return units;
}

void write_columns(const std::vector<query::AnswerColumn>& columns, JsonWriter& json) {
  const std::map<std::string, std::string> units = units_of_columns();
  json.key("columns").begin_array();
  for (const query::AnswerColumn& column : columns) {
    const auto unit = units.find(column.name);
    json.begin_object().member("name", column.name).member("type", value_type_word(column.type));
    json.key("unit");
    unit == units.end() || unit->second.empty() ? json.null() : json.value(unit->second);
    json.end_object();
  }
  json.end_array();
}

class CellWriter {
 public:
  CellWriter(JsonWriter& json, std::size_t text_bytes) : json_(json), text_bytes_(text_bytes) {}

  void operator()(const query::Null&) const { json_.null(); }
  void operator()(bool flag) const { json_.value(flag); }
  void operator()(double number) const { json_.value(number); }
  void operator()(const query::Digits& digits) const { json_.value(digits.text); }
  void operator()(std::int64_t number) const {
    const bool is_exact = number >= -kMostExact && number <= kMostExact;
    is_exact ? json_.value(number) : json_.value(std::to_string(number));
  }
  void operator()(const std::string& text) const {
    if (text.size() <= text_bytes_) {
      json_.value(text);
    } else {
      json_.value(text.substr(0, text_bytes_) + "...");
    }
  }

 private:
  JsonWriter& json_;
  std::size_t text_bytes_;
};

// True if all rows are in.
Result<bool> write_rows(query::Answer& answer, const QueryBounds& bounds, std::string& out,
                        JsonWriter& json) {
  const CellWriter cell(json, bounds.text_bytes);
  while (true) {
    STROBE_TRY(const query::Rows rows, answer.next());
    if (rows.count == 0) return !answer.is_cut();
    for (std::size_t row = 0; row < rows.count; ++row) {
      if (out.size() >= bounds.answer_bytes) return false;
      json.begin_array();
      for (const auto& column : rows.columns) std::visit(cell, column[row]);
      json.end_array();
    }
  }
}

Result<std::string> asked(const std::vector<query::TraceInput>& traces, std::string_view sql,
                          const QueryBounds& bounds) {
  const auto start = std::chrono::steady_clock::now();
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  STROBE_TRY(query::Engine engine,
             query::Engine::open(traces, {.threads = std::min(cores, kMostThreads),
                                          .memory_bytes = bounds.memory_bytes / kEngineShare}));
  STROBE_TRY(const auto answer,
             engine.ask(sql, {.most_rows = bounds.most_rows, .timeout = bounds.timeout}));
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_columns(answer->columns(), json);
  json.key("rows").begin_array();
  STROBE_TRY(const bool is_whole, write_rows(*answer, bounds, out, json));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  json.end_array().member("is_cut", !is_whole).member("elapsed_ns", elapsed.count()).end_object();
  return out;
}

// Errors of the engine name flags of the command; there are none here.
std::string without_flags(std::string_view hint) {
  std::string kept;
  while (!hint.empty()) {
    const std::size_t end = std::min(hint.find("; "), hint.size());
    const std::string_view part = hint.substr(0, end);
    hint.remove_prefix(std::min(end + 2, hint.size()));
    if (part.find("--") != std::string_view::npos) continue;
    kept += fmt::format("{}{}", kept.empty() ? "" : "; ", part);
  }
  return kept;
}

Error in_own_words(Error error, const QueryBounds& bounds) {
  const double seconds = static_cast<double>(bounds.timeout.count()) / 1000;
  switch (error.code) {
    case ErrorCode::kUnsupported:
      if (error.where == "--timeout" || error.where.empty()) {
        return {error.code, fmt::format("the query takes longer than {:.3g} s", seconds), "",
                "ask for less, such as a part of the time: slices_between(t0, t1)"};
      }
      break;
    case ErrorCode::kOutOfMemory:
      return {error.code,
              fmt::format("the query needs more than {} MiB of memory", bounds.memory_bytes >> 20),
              "", "ask for less: fewer columns, or sums instead of rows"};
    case ErrorCode::kMachineLacks:
      return error;  // how to get the engine
    default:
      break;
  }
  error.hint = without_flags(error.hint);
  return error;
}

}  // namespace

Result<std::string> bounded_answer(const std::vector<query::TraceInput>& traces,
                                   std::string_view sql, const QueryBounds& bounds) {
  // The library is opened here, so that every copy of the process has it.
  STROBE_TRY_VOID(query::engine_facts());
  ApartLimits limits{.timeout = bounds.timeout + kGrace,
                     .memory_bytes = bounds.memory_bytes,
                     .answer_bytes = 2 * bounds.answer_bytes + (std::size_t{1} << 20),
                     .is_abandoned = bounds.is_abandoned};
  auto answer = run_apart([&] { return asked(traces, sql, bounds); }, limits);
  if (!answer) return in_own_words(std::move(answer).error(), bounds);
  return answer;
}

}  // namespace strobe::report
