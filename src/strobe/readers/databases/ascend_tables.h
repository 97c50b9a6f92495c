#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/sqlite.h"
#include "strobe/readers/trace_sink.h"

// How the databases of NPU profilers are read: tables and columns come and go with the versions,
// and texts are numbers of one table.
namespace strobe::readers {

// The tables of a database. What is damaged is reported, and ends only its own table.
class NpuTables {
 public:
  NpuTables(const sqlite::Database& database, TraceSink& sink) : database_(database), sink_(sink) {}

  // A real one: a view might have no end.
  bool has(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const {
    return database_.has_column(table, column);
  }
  std::uint64_t about_rows(std::initializer_list<std::string_view> tables) const;

  // Calls use(row) for each row of a table, if there is one; columns that it lacks are NULL. The
  // error says that reading was stopped.
  using Use = std::function<void(const sqlite::Query& row)>;
  Result<void> each(std::string_view table, std::initializer_list<std::string_view> columns,
                    const Use& use);

  // A table of numbers and their words, sorted.
  using Words = std::vector<std::pair<std::int64_t, std::string>>;
  Result<Words> words(std::string_view table);

 private:
  const sqlite::Database& database_;
  TraceSink& sink_;
};

std::string_view word_of(const NpuTables::Words& words, std::int64_t number);

// The texts of a database by their numbers. Only those that are asked for get into the trace.
class NpuTexts {
 public:
  Result<void> read(NpuTables& tables);

  std::string_view text(std::int64_t number) const;  // empty if there is none
  // In the trace. An unknown number is a lost name.
  StringId name(std::int64_t number, TraceSink& sink);

 private:
  struct Entry {
    std::int64_t number;
    std::uint64_t offset;
    std::uint32_t bytes;
    StringId name;
  };
  std::size_t place_of(std::int64_t number) const;

  std::vector<Entry> entries_;  // by number
  std::string texts_;
};

// A time in nanoseconds, which may be a text; nothing if it is none or absurd.
std::optional<std::int64_t> time_at(const sqlite::Query& row, int column);

}  // namespace strobe::readers
