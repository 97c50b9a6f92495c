#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/query/query.h"
#include "strobe/query/table.h"

// Whole columns in memory, without a query engine: for who takes a table as it is.
namespace strobe::query {

// Texts one after the other.
class Texts {
 public:
  std::size_t size() const { return ends_.size() - 1; }
  std::string_view operator[](std::size_t row) const {
    return std::string_view(bytes_).substr(static_cast<std::size_t>(ends_[row]),
                                           static_cast<std::size_t>(ends_[row + 1] - ends_[row]));
  }
  void add(std::string_view text);

  // Where each text ends in bytes(), after a 0.
  const std::vector<std::int64_t>& ends() const { return ends_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::vector<std::int64_t> ends_ = {0};
  std::string bytes_;
};

// One column, laid out as Apache Arrow lays out columns. Names are numbers into a dictionary of the
// names that occur in it, in their order.
struct FilledColumn {
  ColumnType type = ColumnType::kWhole;
  std::size_t rows = 0;
  // A byte each (kBool), int32 (kNarrow, kName), int64 or double; null for kText. 0 where absent.
  const void* values = nullptr;
  std::vector<std::uint8_t> present = {};  // a bit per row, the lowest first; empty: none is absent
  std::size_t absent = 0;
  Texts texts = {};  // kText: of each row; kName: the dictionary

  std::vector<std::uint64_t> own = {};           // where the values are,
  std::shared_ptr<const void> keeps_alive = {};  // or whose they are

  bool has(std::size_t row) const {
    return present.empty() || ((present[row / 8] >> (row % 8)) & 1u) != 0;
  }
};
using FilledColumnPtr = std::shared_ptr<const FilledColumn>;

// The truth values of a column as bits, the lowest first.
std::vector<std::uint8_t> bits_of(const FilledColumn& column);

struct NamedColumn {
  std::string name;
  FilledColumnPtr column;
};

// The tables of some traces. A column is filled when it is asked for first, and kept; one that lies
// in the memory of the only trace as it is needed is not copied. Any thread may ask.
class FilledTables {
 public:
  // `owner` keeps alive what `traces` point to.
  FilledTables(std::vector<TraceInput> traces, std::shared_ptr<const void> owner);

  const std::vector<Table>& tables() const { return tables_; }
  std::size_t rows(const Table& table) const;
  FilledColumnPtr column(const Table& table, const Column& column) const;

 private:
  const Names& names() const;
  FilledColumnPtr fill(const Table& table, const Column& column) const;

  std::shared_ptr<const void> owner_;
  std::deque<TraceSource> sources_;
  std::vector<Table> tables_;
  Lazy<Names> names_made_;
  std::map<const Column*, Lazy<FilledColumnPtr>> filled_;
};

// The next rows of an answer, `about` so many, or all that are left. Numbers beyond 64 bits make
// their column one of text.
Result<std::vector<NamedColumn>> fill_answer(Answer& answer, std::size_t about = SIZE_MAX);

}  // namespace strobe::query
