#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "strobe/query/names.h"
#include "strobe/query/trace_source.h"

// A table that SQL sees, as data: names, types, meanings, and for each column a function that fills
// a piece of it straight from the columns of a trace.
namespace strobe::query {

enum class ColumnType : std::uint8_t { kBool, kNarrow, kWhole, kReal, kName, kText };

// Where the values of a piece of a column go.
class Cells {
 public:
  virtual ~Cells() = default;
  virtual bool* bools() = 0;
  virtual std::int32_t* narrow() = 0;
  virtual std::int64_t* whole() = 0;
  virtual double* reals() = 0;
  virtual void text(std::size_t row, std::string_view text) = 0;
  virtual void null(std::size_t row) = 0;

  // What the columns of one piece of rows share, made by the first that needs it.
  std::shared_ptr<void>* shared = nullptr;

  // 1, 2 or 4: bytes of a name, for the loops that fill names.
  int name_bytes = 4;
  void* names = nullptr;
};

struct Column {
  std::string name;
  ColumnType type = ColumnType::kWhole;
  std::string unit;     // "ns", "bytes"; "" for counts, numbers and words
  std::string meaning;  // for docs/query.md
  std::function<void(const TraceSource& source, std::size_t first, std::size_t count, Cells& cells)>
      fill = {};
  // Where a trace has all its values one after the other as they are needed; null if it has not.
  std::function<const void*(const TraceSource& source)> in_place = {};
};

struct Table {
  std::string name;
  std::string meaning;
  std::vector<Column> columns;
  std::function<std::size_t(const TraceSource& source)> rows;
};

template <class Value>
struct PlainValue {
  using type = Value;
};
template <class Value>
struct PlainValue<std::optional<Value>> {
  using type = Value;
};

template <class Value>
constexpr ColumnType column_type() {
  if constexpr (std::is_same_v<Value, bool>) {
    return ColumnType::kBool;
  } else if constexpr (std::is_same_v<Value, std::int32_t>) {
    return ColumnType::kNarrow;
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    return ColumnType::kWhole;
  } else if constexpr (std::is_same_v<Value, double>) {
    return ColumnType::kReal;
  } else if constexpr (std::is_same_v<Value, Name>) {
    return ColumnType::kName;
  } else {
    static_assert(std::is_same_v<Value, std::string> || std::is_same_v<Value, std::string_view>);
    return ColumnType::kText;
  }
}

template <class Code, class Get>
void fill_names(const TraceSource& source, std::size_t first, std::size_t count, Cells& cells,
                const Get& get) {
  Code* codes = static_cast<Code*>(cells.names);
  for (std::size_t i = 0; i < count; ++i) {
    const Name name = get(source, first + i);
    if (name.code == Name::kNone) {
      cells.null(i);
    } else {
      codes[i] = static_cast<Code>(name.code);
    }
  }
}

// What `get(source, row)` returns decides the type; an std::optional may be absent.
template <class Get>
Column column(std::string name, std::string unit, std::string meaning, Get get) {
  using Returned = std::invoke_result_t<Get, const TraceSource&, std::size_t>;
  using Plain = typename PlainValue<Returned>::type;
  constexpr ColumnType kType = column_type<Plain>();
  constexpr bool kMayBeAbsent = !std::is_same_v<Returned, Plain>;
  Column made{std::move(name), kType, std::move(unit), std::move(meaning)};
  made.fill = [get](const TraceSource& source, std::size_t first, std::size_t count, Cells& cells) {
    if constexpr (kType == ColumnType::kName) {
      static_assert(!kMayBeAbsent);
      if (cells.name_bytes == 1) return fill_names<std::uint8_t>(source, first, count, cells, get);
      if (cells.name_bytes == 2) return fill_names<std::uint16_t>(source, first, count, cells, get);
      return fill_names<std::uint32_t>(source, first, count, cells, get);
    } else {
      const auto store = [&](auto&& put) {
        for (std::size_t i = 0; i < count; ++i) {
          const Returned value = get(source, first + i);
          if constexpr (kMayBeAbsent) {
            if (value) {
              put(i, *value);
            } else {
              cells.null(i);
            }
          } else {
            put(i, value);
          }
        }
      };
      if constexpr (kType == ColumnType::kText) {
        store([&](std::size_t i, std::string_view text) { cells.text(i, text); });
      } else {
        Plain* values = nullptr;
        if constexpr (kType == ColumnType::kBool) values = cells.bools();
        if constexpr (kType == ColumnType::kNarrow) values = cells.narrow();
        if constexpr (kType == ColumnType::kWhole) values = cells.whole();
        if constexpr (kType == ColumnType::kReal) values = cells.reals();
        store([values](std::size_t i, Plain value) { values[i] = value; });
      }
    }
  };
  return made;
}

// The tables of a trace, in the order of docs/query.md; each has the columns `run` and `rank` too.
std::vector<Table> all_tables();

// Their parts: what ran on devices, what the host did, steps, waits, what ranks did together, what
// was sampled, the trace itself, what an allocator held, and what is in no trace.
std::vector<Table> slice_tables();
std::vector<Table> host_tables();
std::vector<Table> step_tables();
std::vector<Table> wait_tables();
std::vector<Table> fleet_tables();
std::vector<Table> event_tables();
std::vector<Table> trace_tables();
std::vector<Table> allocator_tables();
std::vector<Table> counter_tables();

// `made`, whose values are a column of a trace as `get` returns it.
template <class Get>
Column lying(Column made, Get get) {
  made.in_place = [get](const TraceSource& source) -> const void* {
    return get(source).unpacked().data();
  };
  return made;
}

// slice_id, name, start, dur, stop and track_id of the slice `at(source, row)`.
template <class At>
std::vector<Column> slice_columns(At at) {
  const auto slices = [](const TraceSource& source) -> const SliceColumns& {
    return source.trace().slices();
  };
  return {
      column("slice_id", "", "the slice: its position in the trace",
             [at](const TraceSource& source, std::size_t row) {
               return static_cast<std::int64_t>(at(source, row).value);
             }),
      column("name", "", "its full name",
             [at](const TraceSource& source, std::size_t row) {
               return source.name(at(source, row));
             }),
      column("start", "ns", "when it began, on the clock of the trace",
             [at, slices](const TraceSource& source, std::size_t row) {
               return slices(source).starts_ns[at(source, row).index()];
             }),
      column("dur", "ns", "how long it took",
             [at, slices](const TraceSource& source, std::size_t row) {
               return slices(source).durations_ns[at(source, row).index()];
             }),
      column("stop", "ns", "when it ended: start + dur",
             [at](const TraceSource& source, std::size_t row) {
               return source.trace().end_ns(at(source, row));
             }),
      column("track_id", "", "its track: a row of `tracks`",
             [at, slices](const TraceSource& source, std::size_t row) {
               return static_cast<std::int64_t>(
                   slices(source).tracks[at(source, row).index()].value);
             }),
  };
}

// `more` behind `columns`.
inline std::vector<Column> joined(std::vector<Column> columns, std::vector<Column> more) {
  for (Column& one : more) columns.push_back(std::move(one));
  return columns;
}

}  // namespace strobe::query
