#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/query/trace_source.h"

// SQL over traces: DuckDB, opened at run time, reads strobe's columns where they are. A query sees
// the tables of docs/query.md and nothing else: no files, no network, no settings.
namespace strobe::query {

// Whether DuckDB is there: its version and path, or why not and how to get it.
struct EngineFacts {
  std::string version;  // "v1.4.4"
  std::string path;
};
Result<EngineFacts> engine_facts();

struct EngineOptions {
  unsigned threads = 0;           // 0: one per core
  std::int64_t memory_bytes = 0;  // of the engine, beside the traces; 0: a quarter of the machine's
  bool unsafe = false;            // files may be read and written, settings changed
  std::vector<std::string> outputs = {};  // files that write_parquet() may write
};

enum class ValueType : std::uint8_t { kBool, kWhole, kReal, kText };

// Digits of a whole number that does not fit in 64 bits, or of a decimal.
struct Digits {
  std::string text;
};
struct Null {};
using Value = std::variant<Null, bool, std::int64_t, double, Digits, std::string>;

struct AnswerColumn {
  std::string name;
  ValueType type = ValueType::kText;
};

// Some rows of an answer, column by column.
struct Rows {
  std::size_t count = 0;
  std::vector<std::vector<Value>> columns;
};

struct Limits {
  std::optional<std::uint64_t> most_rows = {};
  std::chrono::milliseconds timeout{0};          // 0: none
  const std::atomic<bool>* cancelled = nullptr;  // when it turns true, the query ends
  // Called from another thread now and then. `rows`: of the scans that have begun; 0: unknown.
  std::function<void(std::uint64_t rows_read, std::uint64_t rows)> progress = {};
};

// The answer to a query, made while it is read.
class Answer {
 public:
  virtual ~Answer() = default;
  virtual const std::vector<AnswerColumn>& columns() const = 0;
  // The next rows; none at the end. kInterrupted, kOutOfMemory, or kUnsupported after the timeout.
  virtual Result<Rows> next() = 0;
  // Whether rows were left out because of Limits::most_rows; known at the end.
  virtual bool is_cut() const = 0;
};

// A column of a table, for people.
struct SchemaColumn {
  std::string name;
  std::string type;  // "BIGINT", "NAME"
  std::string unit;
  std::string meaning;
};
struct SchemaTable {
  std::string name;
  std::string meaning;
  std::vector<SchemaColumn> columns;
};
std::vector<SchemaTable> schema();

// Opened once for some traces; one query at a time. What the inputs point to must outlive it.
class Engine {
 public:
  static Result<Engine> open(std::vector<TraceInput> traces, const EngineOptions& options = {});
  // The same tables from folders of Parquet files; see table_files.h.
  static Result<Engine> open_folders(const std::vector<std::string>& folders,
                                     const EngineOptions& options = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Begins to answer one statement: a SELECT, or what explains or describes one. The answer must be
  // gone before the next question. kInvalidArgument: what is wrong with it, and where.
  Result<std::unique_ptr<Answer>> ask(std::string_view sql, const Limits& limits = {});

  // Writes an answer into a Parquet file, one of EngineOptions::outputs. A sum that does not fit in
  // 64 bits is an error.
  Result<void> write_parquet(std::string_view sql, const std::string& path,
                             const Limits& limits = {});

 private:
  struct Inside;
  explicit Engine(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace strobe::query
