#include "strobe/serve/query_desk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/query/query.h"
#include "strobe/query/questions.h"
#include "strobe/serve/comparison_shelf.h"

namespace strobe::serve {
namespace {

constexpr std::int64_t kMostQueryRows = 100'000;

std::string schema_answer() {
  const auto facts = query::engine_facts();
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("engine");
  if (facts) {
    json.begin_object().member("name", "DuckDB").member("version", facts->version).end_object();
  } else {
    json.null();
  }
  json.key("missing");
  facts ? json.null() : json.raw(error_object("unavailable", facts.error()));
  json.key("tables").begin_array();
  for (const query::SchemaTable& table : query::schema()) {
    json.begin_object().member("name", table.name).member("meaning", table.meaning);
    json.key("columns").begin_array();
    for (const query::SchemaColumn& column : table.columns) {
      json.begin_object().member("name", column.name).member("type", column.type);
      json.key("unit");
      column.unit.empty() ? json.null() : json.value(column.unit);
      json.member("meaning", column.meaning).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("questions").begin_array();
  for (const query::Question& question : query::questions()) {
    json.begin_object()
        .member("name", question.name)
        .member("meaning", question.meaning)
        .member("sql", question.sql)
        .end_object();
  }
  json.end_array().end_object();
  return out;
}

// The traces that are asked, each as a run of one rank, so that each has its own samples.
struct AskedTraces {
  std::vector<FoundTrace> found;
  std::vector<Run> runs;  // parallel; each has one rank

  std::vector<query::TraceInput> inputs() const {
    std::vector<query::TraceInput> inputs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RankCapture& rank = runs[i].ranks.front();
      inputs.push_back({.run = label(i),
                        .rank = rank.rank,
                        .path = rank.path,
                        .trace = rank.trace.get(),
                        .import = &rank.import,
                        .snapshot = rank.snapshot.get(),
                        .metrics = &rank.metrics});
    }
    return inputs;
  }

  // The name of its run, unless two traces of it have one rank number.
  std::string label(std::size_t at) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i != at && found[i].run == found[at].run &&
          runs[i].ranks.front().rank == runs[at].ranks.front().rank) {
        return found[at].name;
      }
    }
    return found[at].run;
  }
};

Result<AskedTraces> open_traces(const Query& query, const std::vector<FoundTrace>& files,
                                const TraceLookup& traces) {
  STROBE_TRY(const std::string first, query.text("trace"));
  AskedTraces asked;
  std::vector<ServedRun> served;
  for (const std::string& name : query.texts("trace")) {
    const auto known = std::ranges::find(files, name, &FoundTrace::name);
    if (known == files.end()) {
      STROBE_TRY(const auto open, traces(name));  // says what is wrong
      continue;
    }
    asked.found.push_back(*known);
    served.push_back(
        {.name = name, .traces = {*known}, .files = {readers::rank_files_of(known->path)}});
  }
  std::optional<Error> missing;
  for (const ServedRun& one : served) {
    auto run = open_run(one, traces);  // all of them, so that all begin to load
    if (run) {
      asked.runs.push_back(std::move(*run));
    } else if (!missing) {
      missing = run.error();
    }
  }
  if (missing) return *missing;
  return asked;
}

void write_traces(const AskedTraces& asked, std::string& out) {
  const std::vector<query::TraceInput> inputs = asked.inputs();
  JsonWriter json(out);
  json.begin_array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    json.begin_object()
        .member("trace", asked.found[i].name)
        .member("run", inputs[i].run)
        .member("rank", inputs[i].rank)
        .end_object();
  }
  json.end_array();
}

// Counts a query while it runs.
class Turn {
 public:
  explicit Turn(std::atomic<int>& running) : running_(running), number_(++running) {}
  ~Turn() { --running_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  int number() const { return number_; }

 private:
  std::atomic<int>& running_;
  int number_;
};

}  // namespace

Result<QueryDesk::Body> QueryDesk::answer(std::string_view route, const Query& query,
                                          const std::vector<FoundTrace>& files,
                                          const TraceLookup& traces,
                                          const std::function<bool()>& is_gone) {
  if (route == "query/schema") return std::make_shared<const std::string>(schema_answer());
  if (route != "query") return no_route(route);
  return rows(query, files, traces, is_gone);
}

Result<QueryDesk::Body> QueryDesk::rows(const Query& query, const std::vector<FoundTrace>& files,
                                        const TraceLookup& traces,
                                        const std::function<bool()>& is_gone) {
  STROBE_TRY(std::string sql, query.text("sql"));
  if (const query::Question* question = query::find_question(sql)) sql = question->sql;
  report::QueryBounds bounds = bounds_;
  STROBE_TRY(
      const std::int64_t most_rows,
      query.integer_or("limit", static_cast<std::int64_t>(bounds.most_rows), 1, kMostQueryRows));
  bounds.most_rows = static_cast<std::uint64_t>(most_rows);
  bounds.is_abandoned = is_gone;
  const Turn turn(running_);
  if (turn.number() > most_at_once_) {
    return Error{ErrorCode::kMachineLacks,
                 fmt::format("{} queries are running already", most_at_once_), "",
                 "wait for one of them"};
  }
  STROBE_TRY(const AskedTraces asked, open_traces(query, files, traces));
  STROBE_TRY(const std::string answer, report::bounded_answer(asked.inputs(), sql, bounds));
  std::string body = "{\"traces\":";
  write_traces(asked, body);
  body += ',';
  body += std::string_view(answer).substr(1);
  return std::make_shared<const std::string>(std::move(body));
}

HttpResponse query_error_answer(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnsupported:
    case ErrorCode::kOutOfMemory:
      return error_answer(422, "limit", error);
    case ErrorCode::kMachineLacks:
    case ErrorCode::kInterrupted:
      return error_answer(503, "unavailable", error);
    default:
      return error_answer(error);
  }
}

}  // namespace strobe::serve
