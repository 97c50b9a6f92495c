#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/device/probe.h"
#include "strobe/query/decoder.h"
#include "strobe/query/query.h"
#include "strobe/query/sql_text.h"
#include "strobe/query/table_files.h"
#include "strobe/query/table_scan.h"

namespace strobe::query {
namespace {

using duckdb::Library;

constexpr std::int64_t kLeastMemory = std::int64_t{256} << 20;

// Ends a query when its time is over or the user stops it, and tells how far it is.
class Watch {
 public:
  Watch(const ScanContext& context, duckdb::Connection connection, const Limits& limits)
      : is_timed_(limits.timeout.count() > 0),
        end_(std::chrono::steady_clock::now() + limits.timeout),
        cancelled_(limits.cancelled) {
    context.rows_begun = 0;
    context.rows_read = 0;
    if (!is_timed_ && cancelled_ == nullptr && !limits.progress) return;
    thread_ = std::jthread(
        [this, &context, connection, progress = limits.progress](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any wakes;
          // An interrupt that comes between two parts of the work is forgotten, so it is repeated.
          while (!wakes.wait_for(lock, stop, std::chrono::milliseconds(20),
                                 [&] { return stop.stop_requested(); })) {
            if (stop.stop_requested()) return;
            if (is_cancelled() || is_late()) context.duckdb->interrupt(connection);
            if (progress) progress(context.rows_read, context.rows_begun);
          }
        });
  }

  bool is_cancelled() const { return cancelled_ != nullptr && cancelled_->load(); }
  bool is_late() const { return is_timed_ && std::chrono::steady_clock::now() >= end_; }

 private:
  bool is_timed_;
  std::chrono::steady_clock::time_point end_;
  const std::atomic<bool>* cancelled_;
  std::jthread thread_;
};

std::string_view line_of(std::string_view text, std::size_t number) {
  std::string_view line;
  for (std::size_t i = 0; i < number && !text.empty(); ++i) line = take_line(text);
  return line;
}

// Where what the engine shows of a line begins in it. Of a long line it shows the part around the
// error, with "..." for what it leaves out.
std::size_t shown_from(std::string_view line, std::string_view shown) {
  constexpr std::string_view kLeftOut = "...";
  if (!shown.starts_with(kLeftOut) || line.starts_with(shown)) return 0;
  shown.remove_prefix(kLeftOut.size());
  std::size_t at = line.ends_with(shown) ? line.size() - shown.size() : std::string_view::npos;
  if (at == std::string_view::npos && shown.ends_with(kLeftOut)) {
    at = line.find(shown.substr(0, shown.size() - kLeftOut.size()));
  }
  return at == std::string_view::npos || at < kLeftOut.size() ? 0 : at - kLeftOut.size();
}

// "Parser Error: syntax error at or near "x"\n\nLINE 1: select x\n  ^" as an Error.
Error translated(std::string_view message, std::string_view sql = {}) {
  const std::string clean = without_dictionaries(std::string(message));
  std::string_view rest = clean;
  std::string what(take_line(rest));
  std::string hint;
  std::string where;
  constexpr std::string_view kError = " Error: ";
  const std::size_t kind = what.find(kError);
  if (kind < 24) what.erase(0, kind + kError.size());
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("Did you mean")) {
      hint = std::string(line);
    } else if (line.starts_with("Candidate")) {
      hint = fmt::format("did you mean one of{}",
                         line.substr(std::min(line.find(": ") + 1, line.size())));
    } else if (line.starts_with("LINE ")) {
      const std::size_t colon = line.find(": ");
      const std::string_view caret = take_line(rest);
      const std::size_t column = caret.find('^');
      if (colon == std::string_view::npos || column == std::string_view::npos) continue;
      const std::string number(line.substr(5, colon - 5));
      const std::string_view whole = line_of(sql, std::strtoul(number.c_str(), nullptr, 10));
      const std::size_t shift = shown_from(whole, line.substr(colon + 2));
      where = fmt::format("line {} of the query, column {}", number,
                          shift + (column < colon + 2 ? 1 : column - colon - 1));
    }
  }
  if (what.starts_with("Table with name")) hint = "`strobe query --list` shows the tables";
  if (message.starts_with("Permission Error")) {
    hint = "a query sees no files; --unsafe allows them";
  }
  if (!what.empty()) what[0] = lower(what[0]);
  if (what.ends_with('!') || what.ends_with('.')) what.pop_back();
  return {.code = ErrorCode::kInvalidArgument,
          .what = excerpt(what, 300),
          .where = std::move(where),
          .hint = excerpt(hint, 300)};
}

// A prepared statement; destroyed with it.
class Statement {
 public:
  explicit Statement(const Library& duckdb) : duckdb_(duckdb) {}
  ~Statement() { duckdb_.destroy_prepare(&prepared_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  duckdb::Prepared* out() { return &prepared_; }
  duckdb::Prepared get() const { return prepared_; }

 private:
  const Library& duckdb_;
  duckdb::Prepared prepared_ = nullptr;
};

class Statements {
 public:
  explicit Statements(const Library& duckdb) : duckdb_(duckdb) {}
  ~Statements() { duckdb_.destroy_extracted(&all_); }
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;
  duckdb::Statements* out() { return &all_; }
  duckdb::Statements get() const { return all_; }

 private:
  const Library& duckdb_;
  duckdb::Statements all_ = nullptr;
};

Error failure(const Library& duckdb, duckdb::Answer& answer, const Watch& watch) {
  if (watch.is_cancelled()) {
    return {ErrorCode::kInterrupted, "interrupted", "", ""};
  }
  if (watch.is_late()) {
    return {ErrorCode::kUnsupported, "the query took longer than its time limit", "--timeout",
            "give it more time, or ask for less"};
  }
  const char* message = duckdb.result_error(&answer);
  Error error = translated(message == nullptr ? "the query failed" : message);
  if (duckdb.result_error_type(&answer) == duckdb::kOutOfMemoryError) {
    error = {ErrorCode::kOutOfMemory, "the query needs more memory than it may use", "--memory",
             "give it more, or ask for less"};
  }
  return error;
}

class StreamedAnswer final : public Answer {
 public:
  StreamedAnswer(const ScanContext& context, duckdb::Connection connection, const Limits& limits)
      : duckdb_(*context.duckdb), left_(limits.most_rows), watch_(context, connection, limits) {}
  ~StreamedAnswer() override { duckdb_.destroy_result(&answer_); }
  StreamedAnswer(const StreamedAnswer&) = delete;
  StreamedAnswer& operator=(const StreamedAnswer&) = delete;

  Result<void> start(duckdb::Prepared prepared, const std::vector<std::string>& names) {
    if (duckdb_.execute_prepared_streaming(prepared, &answer_) != duckdb::kSuccess) {
      return failure(duckdb_, answer_, watch_);
    }
    for (duckdb::Count i = 0; i < duckdb_.column_count(&answer_); ++i) {
      const duckdb::TypeId id = duckdb_.column_type(&answer_, i);
      columns_.push_back({names[i], value_type(id)});
      decoders_.push_back(
          std::make_unique<Decoder>(duckdb_, duckdb_.column_logical_type(&answer_, i), id));
    }
    return {};
  }

  const std::vector<AnswerColumn>& columns() const override { return columns_; }
  bool is_cut() const override { return is_cut_; }

  Result<Rows> next() override {
    Rows rows;
    if (is_cut_) return rows;
    if (watch_.is_cancelled() || watch_.is_late()) return failure(duckdb_, answer_, watch_);
    duckdb::Chunk chunk = duckdb_.fetch_chunk(answer_);
    if (chunk == nullptr) {
      const char* message = duckdb_.result_error(&answer_);
      if (message != nullptr && *message != '\0') return failure(duckdb_, answer_, watch_);
      return rows;
    }
    rows.count = duckdb_.data_chunk_get_size(chunk);
    if (left_) {
      is_cut_ = rows.count > *left_;
      rows.count = std::min<std::size_t>(rows.count, *left_);
      *left_ -= rows.count;
    }
    for (std::size_t i = 0; i < decoders_.size(); ++i) {
      rows.columns.push_back(
          decoders_[i]->decode(duckdb_.data_chunk_get_vector(chunk, i), rows.count));
    }
    duckdb_.destroy_data_chunk(&chunk);
    return rows;
  }

 private:
  const Library& duckdb_;
  duckdb::Answer answer_;
  std::optional<std::uint64_t> left_;
  Watch watch_;
  std::vector<AnswerColumn> columns_;
  std::vector<std::unique_ptr<Decoder>> decoders_;
  bool is_cut_ = false;
};

std::int64_t usual_memory() {
  const device::MemoryFacts memory = device::probe_memory();
  const std::int64_t all = memory.limit_bytes.value_or(memory.total_bytes);
  return std::max(kLeastMemory, all / 4);
}

// Lists, times and the like come as the engine writes them.
std::string_view cast_to_decode(duckdb::TypeId type) { return is_decodable(type) ? "" : "varchar"; }

// Parquet has no wider whole numbers, and a rounded sum is worse than an error.
std::string_view cast_for_parquet(duckdb::TypeId type) {
  return type == duckdb::kHugeInt ? "bigint" : "";
}

// A query around a query, which casts some of its columns.
struct Wrapped {
  std::vector<std::string> names;  // of its columns
  std::vector<std::string> casts;  // "c0", "c1::varchar"
  bool has_cast = false;
  std::string inner;

  std::string sql(bool with_names) const {
    std::string chosen;
    std::string aliases;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const char* comma = i == 0 ? "" : ", ";
      chosen += fmt::format("{}{}", comma, casts[i]);
      if (with_names) chosen += fmt::format(" as {}", as_identifier(names[i]));
      aliases += fmt::format("{}c{}", comma, i);
    }
    return fmt::format("select {} from (\n{}\n) as answer({})", chosen, inner, aliases);
  }

 private:
  static std::string as_identifier(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + "\"";
  }
};

// The second column of a name gets a number, or files and objects would lose it. The engine does
// not tell large letters from small ones.
class DistinctNames {
 public:
  std::string distinct(const std::string& name) {
    std::string one = name;
    for (int i = 1; !taken_.insert(lower_case(one)).second; ++i) {
      one = fmt::format("{}_{}", name, i);
    }
    return one;
  }

 private:
  std::set<std::string> taken_;
};

Wrapped wrap(const Library& duckdb, const Statement& statement, std::string_view sql,
             std::string_view (*cast_of)(duckdb::TypeId)) {
  Wrapped wrapped;
  const duckdb::Count columns = duckdb.prepared_statement_column_count(statement.get());
  DistinctNames names;
  for (duckdb::Count i = 0; i < columns; ++i) {
    const char* name = duckdb.prepared_statement_column_name(statement.get(), i);
    wrapped.names.push_back(names.distinct(without_dictionaries(name)));
    duckdb.free(const_cast<char*>(name));
    const std::string_view cast =
        cast_of(duckdb.prepared_statement_column_type(statement.get(), i));
    wrapped.casts.push_back(cast.empty() ? fmt::format("c{}", i) : fmt::format("c{}::{}", i, cast));
    wrapped.has_cast = wrapped.has_cast || !cast.empty();
  }
  std::string text(sql);
  wrapped.inner = take_statement(text).value_or(text);
  return wrapped;
}

}  // namespace

struct Engine::Inside {
  ScanContext context;
  duckdb::Database database = nullptr;
  duckdb::Connection connection = nullptr;
  bool is_unsafe = false;

  ~Inside() {
    if (connection != nullptr) context.duckdb->disconnect(&connection);
    if (database != nullptr) context.duckdb->close(&database);
  }

  // `files` may be read and written.
  Result<void> open(const EngineOptions& options, bool needs_files);
  Result<void> close_files_but(const std::vector<std::string>& files);
  Result<std::vector<TableFolder>> tell_apart(const std::vector<std::string>& folders);
  Result<void> execute(const std::string& sql, const Limits& limits = {});
  // One statement, which only reads unless that is not asked for.
  Result<void> prepare(std::string_view sql, Statement& statement);

 private:
  Result<void> prepare_any(std::string_view sql, Statement& statement);
  std::optional<duckdb::StatementType> type_of(std::string_view sql);
  std::string_view select_in_explain(std::string_view sql);
  Result<void> check_plan(std::string_view sql);
};

Result<void> Engine::Inside::open(const EngineOptions& options, bool needs_files) {
  const Library& duckdb = *context.duckdb;
  const unsigned threads =
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t memory = options.memory_bytes != 0 ? options.memory_bytes : usual_memory();
  context.threads = threads;
  is_unsafe = options.unsafe;
  duckdb::Config config = nullptr;
  duckdb.create_config(&config);
  const std::string threads_text = std::to_string(threads);
  const std::string memory_text = fmt::format("{}MiB", memory >> 20);
  std::vector<std::pair<const char*, const char*>> settings = {
      {"threads", threads_text.c_str()},         {"memory_limit", memory_text.c_str()},
      {"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},   {"temp_directory", ""}};
  if (!options.unsafe) {
    settings.insert(settings.end(), {{"allow_persistent_secrets", "false"}});
    if (!needs_files) {
      settings.insert(settings.end(),
                      {{"enable_external_access", "false"}, {"lock_configuration", "true"}});
    }
  }
  const char* refused = nullptr;
  for (const auto& [name, value] : settings) {
    if (duckdb.set_config(config, name, value) != duckdb::kSuccess) refused = name;
  }
  char* why = nullptr;
  const bool is_open = refused == nullptr &&
                       duckdb.open_ext(":memory:", &database, config, &why) == duckdb::kSuccess &&
                       duckdb.connect(database, &connection) == duckdb::kSuccess;
  duckdb.destroy_config(&config);
  if (!is_open) {
    const std::string reason = why != nullptr       ? why
                               : refused != nullptr ? fmt::format("it has no {}", refused)
                                                    : "it does not start";
    duckdb.free(why);
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = fmt::format("DuckDB cannot be used: {}", reason),
                 .where = duckdb.path,
                 .hint = duckdb::kHowToGet};
  }
  return register_functions(duckdb, connection);
}

// Only now: the engine takes a list of files when it is open.
Result<void> Engine::Inside::close_files_but(const std::vector<std::string>& files) {
  if (is_unsafe) return {};
  std::vector<std::string> texts;
  for (const std::string& file : files) texts.push_back(sql_quoted(file));
  STROBE_TRY_VOID(execute(fmt::format("set allowed_paths = [{}]", fmt::join(texts, ", "))));
  STROBE_TRY_VOID(execute("set enable_external_access = false"));
  return execute("set lock_configuration = true");
}

// Runs of one name are told apart by their folders.
Result<std::vector<TableFolder>> Engine::Inside::tell_apart(
    const std::vector<std::string>& folders) {
  const Library& duckdb = *context.duckdb;
  std::vector<TableFolder> told;
  std::set<std::string> taken;
  for (const std::string& folder : folders) {
    TableFolder& one = told.emplace_back(TableFolder{.path = folder});
    const std::string file = (one.path / table_file("traces")).string();
    Statement statement(duckdb);
    STROBE_TRY_VOID(prepare(
        fmt::format("select distinct run from read_parquet({})", sql_quoted(file)), statement));
    StreamedAnswer runs(context, connection, {});
    STROBE_TRY_VOID(runs.start(statement.get(), {"run"}));
    std::set<std::string> own;
    while (true) {
      STROBE_TRY(const Rows rows, runs.next());
      if (rows.count == 0) break;
      for (const Value& value : rows.columns[0]) {
        if (const auto* run = std::get_if<std::string>(&value)) own.insert(*run);
      }
    }
    const bool is_taken =
        std::ranges::any_of(own, [&](const std::string& run) { return taken.contains(run); });
    if (is_taken) {
      one.run = own.size() == 1 ? sql_quoted(folder)
                                : fmt::format("{} || run", sql_quoted(folder + ": "));
    }
    taken.merge(own);
  }
  return told;
}

Result<void> Engine::Inside::execute(const std::string& sql, const Limits& limits) {
  const Library& duckdb = *context.duckdb;
  const Watch watch(context, connection, limits);
  duckdb::Answer answer;
  const bool is_done = duckdb.query(connection, sql.c_str(), &answer) == duckdb::kSuccess;
  Result<void> done;
  if (!is_done) done = failure(duckdb, answer, watch);
  duckdb.destroy_result(&answer);
  return done;
}

namespace {

Error only_reads(std::string_view what) {
  return {ErrorCode::kInvalidArgument, fmt::format("a query may only read: {}", what), "",
          "--unsafe allows every statement of DuckDB"};
}

// The tables as rows: the engine itself knows them only when they are asked for.
std::string sql_of_tables() {
  std::vector<std::string> rows;
  for (const SchemaTable& table : schema()) {
    rows.push_back(fmt::format("({}, {})", sql_quoted(table.name), sql_quoted(table.meaning)));
  }
  return fmt::format("select * from (values {}) as tables(name, meaning)", fmt::join(rows, ", "));
}

}  // namespace

Result<void> Engine::Inside::prepare(std::string_view sql, Statement& statement) {
  STROBE_TRY_VOID(prepare_any(sql, statement));
  if (is_unsafe) return {};
  const duckdb::StatementType type = context.duckdb->prepared_statement_type(statement.get());
  const std::string_view select = type == duckdb::kExplainStatement  ? select_in_explain(sql)
                                  : type == duckdb::kSelectStatement ? sql
                                                                     : std::string_view();
  if (select.empty()) return only_reads("it begins with select, with, from, describe or explain");
  return may_call_a_deed(select) ? check_plan(select) : Result<void>();
}

Result<void> Engine::Inside::prepare_any(std::string_view sql, Statement& statement) {
  const Library& duckdb = *context.duckdb;
  Statements statements(duckdb);
  const std::string text = asks_for_tables(sql) ? sql_of_tables() : std::string(sql);
  const duckdb::Count count = duckdb.extract_statements(connection, text.c_str(), statements.out());
  if (count == 0) {
    const char* why = duckdb.extract_statements_error(statements.get());
    if (why != nullptr) return translated(why, sql);
    return Error{ErrorCode::kInvalidArgument, "there is no query", "", "\"select * from kernels\""};
  }
  if (count > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("there are {} statements, and one is answered at a time", count), "",
                 "join them: with a as (...), b as (...) select ...; PIVOT needs its values: IN "
                 "(...)"};
  }
  if (duckdb.prepare_extracted_statement(connection, statements.get(), 0, statement.out()) !=
      duckdb::kSuccess) {
    const char* why = duckdb.prepare_error(statement.get());
    return translated(why == nullptr ? "the query is not valid" : why, sql);
  }
  return {};
}

std::optional<duckdb::StatementType> Engine::Inside::type_of(std::string_view sql) {
  Statement statement(*context.duckdb);
  if (!prepare_any(sql, statement)) return std::nullopt;
  return context.duckdb->prepared_statement_type(statement.get());
}

// EXPLAIN ANALYZE runs what it explains. "" if that is no query.
std::string_view Engine::Inside::select_in_explain(std::string_view sql) {
  // What begins with a parenthesis is a query, or it has options in front.
  const std::string_view whole = explained(sql);
  for (const std::string_view text : {whole, after_parentheses(whole)}) {
    if (type_of(text) == duckdb::kSelectStatement) return text;
  }
  return {};
}

// A function that does something is refused, however it is called: the plan has its name.
Result<void> Engine::Inside::check_plan(std::string_view sql) {
  Statement statement(*context.duckdb);
  STROBE_TRY_VOID(prepare_any(fmt::format("explain (format json) {}", sql), statement));
  StreamedAnswer plan(context, connection, {});
  STROBE_TRY_VOID(plan.start(statement.get(), {"key", "plan"}));
  while (true) {
    STROBE_TRY(const Rows rows, plan.next());
    if (rows.count == 0) return {};
    for (const Value& value : rows.columns.back()) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) continue;
      const std::string deed = deed_in_plan(*text);
      if (!deed.empty()) return only_reads(fmt::format("{} does more than that", deed));
    }
  }
}

Engine::Engine(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<EngineFacts> engine_facts() {
  STROBE_TRY(const Library* duckdb, duckdb::library());
  return EngineFacts{.version = duckdb->library_version(), .path = duckdb->path};
}

Result<Engine> Engine::open(std::vector<TraceInput> traces, const EngineOptions& options) {
  STROBE_TRY(const Library* duckdb, duckdb::library());
  auto inside = std::make_unique<Inside>();
  ScanContext& context = inside->context;
  context.duckdb = duckdb;
  context.tables = all_tables();
  STROBE_TRY_VOID(inside->open(options, !options.outputs.empty()));
  add_sources(
      std::move(traces), [&context]() -> const Names& { return context.names(); }, context.threads,
      context.sources);
  STROBE_TRY_VOID(register_tables(context, inside->database, inside->connection));
  if (!options.outputs.empty()) STROBE_TRY_VOID(inside->close_files_but(options.outputs));
  return Engine(std::move(inside));
}

Result<Engine> Engine::open_folders(const std::vector<std::string>& folders,
                                    const EngineOptions& options) {
  STROBE_TRY(const Library* duckdb, duckdb::library());
  auto inside = std::make_unique<Inside>();
  inside->context.duckdb = duckdb;
  STROBE_TRY_VOID(inside->open(options, true));
  STROBE_TRY(const std::vector<TableFolder> told, inside->tell_apart(folders));
  for (const std::string& statement : view_statements(told)) {
    STROBE_TRY_VOID(inside->execute(statement));
  }
  std::vector<std::string> files = files_in(told);
  files.insert(files.end(), options.outputs.begin(), options.outputs.end());
  STROBE_TRY_VOID(inside->close_files_but(files));
  return Engine(std::move(inside));
}

Result<std::unique_ptr<Answer>> Engine::ask(std::string_view sql, const Limits& limits) {
  const Library& duckdb = *inside_->context.duckdb;
  Statement statement(duckdb);
  STROBE_TRY_VOID(inside_->prepare(sql, statement));
  const Wrapped wrapped = wrap(duckdb, statement, sql, cast_to_decode);
  auto answer = std::make_unique<StreamedAnswer>(inside_->context, inside_->connection, limits);
  const bool is_select =
      duckdb.prepared_statement_type(statement.get()) == duckdb::kSelectStatement;
  if (wrapped.has_cast && is_select) {
    Statement cast(duckdb);
    STROBE_TRY_VOID(inside_->prepare(wrapped.sql(false), cast));
    STROBE_TRY_VOID(answer->start(cast.get(), wrapped.names));
  } else {
    STROBE_TRY_VOID(answer->start(statement.get(), wrapped.names));
  }
  return std::unique_ptr<Answer>(std::move(answer));
}

Result<void> Engine::write_parquet(std::string_view sql, const std::string& path,
                                   const Limits& limits) {
  const Library& duckdb = *inside_->context.duckdb;
  Statement statement(duckdb);
  STROBE_TRY_VOID(inside_->prepare(sql, statement));
  const Wrapped wrapped = wrap(duckdb, statement, sql, cast_for_parquet);
  const std::string limit = limits.most_rows ? fmt::format(" limit {}", *limits.most_rows) : "";
  return inside_->execute(
      fmt::format("copy ({}{}) to {} (format parquet, compression zstd, parquet_version v2, "
                  "use_tmp_file false)",
                  wrapped.sql(true), limit, sql_quoted(path)),
      limits);
}

}  // namespace strobe::query
