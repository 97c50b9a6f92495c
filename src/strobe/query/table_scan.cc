#include "strobe/query/table_scan.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "strobe/query/query.h"

namespace strobe::query {
namespace {

constexpr std::size_t kVectorRows = 2048;             // of the engine
constexpr std::size_t kPieceRows = 32 * kVectorRows;  // what a thread takes at a time

// A parameter of slices_between or slices_of; both narrow `slices`.
enum class Narrowing : std::uint8_t { kNone, kBetween, kOf };

struct TableEntry {
  const ScanContext* context;
  const Table* table;
  Narrowing narrowing = Narrowing::kNone;
};

struct BoundScan {
  const TableEntry* entry;
  Interval between{};
  std::string name;
};

struct Piece {
  const TraceSource* source;
  std::size_t first;
  std::size_t end;
};

// Rows of `slices` that a narrowed scan returns, in file order.
using Chosen = std::vector<std::vector<std::uint32_t>>;  // per source

struct SharedScan {
  std::vector<std::size_t> columns;  // that the query needs; beyond the table's: none of them
  std::vector<Piece> pieces;
  Chosen chosen;
  std::atomic<std::size_t> next{0};
};

struct LocalScan {
  std::optional<Piece> piece;
};

template <class Object>
void destroy(void* object) {
  delete static_cast<Object*>(object);
}

class VectorCells final : public Cells {
 public:
  VectorCells(const duckdb::Library& duckdb, duckdb::Vector vector, int bytes_of_names)
      : duckdb_(duckdb), vector_(vector) {
    name_bytes = bytes_of_names;
    names = duckdb.vector_get_data(vector);
  }

  bool* bools() override { return static_cast<bool*>(names); }
  std::int32_t* narrow() override { return static_cast<std::int32_t*>(names); }
  std::int64_t* whole() override { return static_cast<std::int64_t*>(names); }
  double* reals() override { return static_cast<double*>(names); }
  void text(std::size_t row, std::string_view text) override {
    duckdb_.vector_assign_string_element_len(vector_, row, text.data(), text.size());
  }
  void null(std::size_t row) override {
    if (validity_ == nullptr) {
      duckdb_.vector_ensure_validity_writable(vector_);
      validity_ = duckdb_.vector_get_validity(vector_);
    }
    validity_[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }

 private:
  const duckdb::Library& duckdb_;
  duckdb::Vector vector_;
  std::uint64_t* validity_ = nullptr;
};

duckdb::TypeId engine_type(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return duckdb::kBoolean;
    case ColumnType::kNarrow:
      return duckdb::kInteger;
    case ColumnType::kWhole:
      return duckdb::kBigInt;
    case ColumnType::kReal:
      return duckdb::kDouble;
    case ColumnType::kName:
    case ColumnType::kText:
      break;
  }
  return duckdb::kVarchar;
}

// The engine is foreign code: nothing may be thrown through it.
template <class Work, class Fail>
void guarded(const Work& work, const Fail& fail) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
    fail("Out of Memory Error: strobe has no memory for this table");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

std::string text_parameter(const duckdb::Library& duckdb, duckdb::BindInfo info) {
  duckdb::Value value = duckdb.bind_get_parameter(info, 0);
  char* text = duckdb.get_varchar(value);
  std::string copy = text == nullptr ? "" : text;
  duckdb.free(text);
  duckdb.destroy_value(&value);
  return copy;
}

std::int64_t whole_parameter(const duckdb::Library& duckdb, duckdb::BindInfo info,
                             duckdb::Count which) {
  duckdb::Value value = duckdb.bind_get_parameter(info, which);
  const std::int64_t number = duckdb.get_int64(value);
  duckdb.destroy_value(&value);
  return number;
}

void bind(duckdb::BindInfo info) {
  const duckdb::Library& duckdb = duckdb::opened();
  const auto& entry = *static_cast<const TableEntry*>(duckdb.bind_get_extra_info(info));
  guarded(
      [&] {
        for (const Column& column : entry.table->columns) {
          if (column.type == ColumnType::kName) {
            duckdb.bind_add_result_column(info, column.name.c_str(), entry.context->name_type());
            continue;
          }
          duckdb::Type type = duckdb.create_logical_type(engine_type(column.type));
          duckdb.bind_add_result_column(info, column.name.c_str(), type);
          duckdb.destroy_logical_type(&type);
        }
        auto bound = std::make_unique<BoundScan>(BoundScan{.entry = &entry, .name = {}});
        if (entry.narrowing == Narrowing::kBetween) {
          bound->between = {whole_parameter(duckdb, info, 0), whole_parameter(duckdb, info, 1)};
        } else if (entry.narrowing == Narrowing::kOf) {
          bound->name = text_parameter(duckdb, info);
        } else {
          std::size_t rows = 0;
          for (const TraceSource& source : entry.context->sources) {
            rows += entry.table->rows(source);
          }
          duckdb.bind_set_cardinality(info, rows, true);
        }
        duckdb.bind_set_bind_data(info, bound.release(), destroy<BoundScan>);
      },
      [&](const char* why) { duckdb.bind_set_error(info, why); });
}

// Slices that overlap [t0, t1), or of one name.
std::vector<std::uint32_t> choose(const BoundScan& bound, const TraceSource& source,
                                  std::size_t number) {
  const SliceColumns& slices = source.trace().slices();
  std::vector<std::uint32_t> rows;
  if (bound.entry->narrowing == Narrowing::kBetween) {
    for (std::size_t row = 0; row < slices.size(); ++row) {
      const std::int64_t start_ns = slices.starts_ns[row];
      const std::int64_t end_ns = start_ns + slices.durations_ns[row];
      const bool is_in = start_ns < bound.between.end_ns &&
                         (end_ns > bound.between.start_ns || start_ns == bound.between.start_ns);
      if (is_in) rows.push_back(static_cast<std::uint32_t>(row));
    }
    return rows;
  }
  const Names& names = bound.entry->context->names();
  const Name wanted = names.word(bound.name);
  if (wanted.code == Name::kNone) return rows;
  for (std::size_t row = 0; row < slices.size(); ++row) {
    if (names.name(number, slices.names[row]).code == wanted.code) {
      rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  return rows;
}

void begin(duckdb::InitInfo info) {
  const duckdb::Library& duckdb = duckdb::opened();
  const auto& bound = *static_cast<const BoundScan*>(duckdb.init_get_bind_data(info));
  guarded(
      [&] {
        auto scan = std::make_unique<SharedScan>();
        for (duckdb::Count i = 0; i < duckdb.init_get_column_count(info); ++i) {
          scan->columns.push_back(duckdb.init_get_column_index(info, i));
        }
        std::size_t number = 0;
        for (const TraceSource& source : bound.entry->context->sources) {
          std::size_t rows = 0;
          if (bound.entry->narrowing == Narrowing::kNone) {
            rows = bound.entry->table->rows(source);
          } else {
            rows = scan->chosen.emplace_back(choose(bound, source, number)).size();
          }
          for (std::size_t first = 0; first < rows; first += kPieceRows) {
            scan->pieces.push_back({&source, first, std::min(rows, first + kPieceRows)});
          }
          bound.entry->context->rows_begun += rows;
          ++number;
        }
        duckdb.init_set_max_threads(
            info, std::max<std::size_t>(1, std::min<std::size_t>(scan->pieces.size(),
                                                                 bound.entry->context->threads)));
        duckdb.init_set_init_data(info, scan.release(), destroy<SharedScan>);
      },
      [&](const char* why) { duckdb.init_set_error(info, why); });
}

void begin_thread(duckdb::InitInfo info) {
  const duckdb::Library& duckdb = duckdb::opened();
  guarded([&] { duckdb.init_set_init_data(info, new LocalScan, destroy<LocalScan>); },
          [&](const char* why) { duckdb.init_set_error(info, why); });
}

// The chosen rows of a piece are mostly neighbours: each run of them is filled at once.
void fill_chosen(const Column& column, const TraceSource& source,
                 const std::vector<std::uint32_t>& rows, std::size_t first, std::size_t count,
                 const duckdb::Library& duckdb, duckdb::Vector vector, int name_bytes);

void scan(duckdb::CallInfo info, duckdb::Chunk output) {
  const duckdb::Library& duckdb = duckdb::opened();
  const auto& bound = *static_cast<const BoundScan*>(duckdb.function_get_bind_data(info));
  auto& shared = *static_cast<SharedScan*>(duckdb.function_get_init_data(info));
  auto& local = *static_cast<LocalScan*>(duckdb.function_get_local_init_data(info));
  guarded(
      [&] {
        if (!local.piece || local.piece->first == local.piece->end) {
          const std::size_t next = shared.next.fetch_add(1);
          if (next >= shared.pieces.size()) return duckdb.data_chunk_set_size(output, 0);
          local.piece = shared.pieces[next];
        }
        Piece& piece = *local.piece;
        const std::size_t count = std::min(kVectorRows, piece.end - piece.first);
        const ScanContext& context = *bound.entry->context;
        std::shared_ptr<void> made;  // by a column, for the others
        for (std::size_t i = 0; i < shared.columns.size(); ++i) {
          if (shared.columns[i] >= bound.entry->table->columns.size()) continue;
          const Column& column = bound.entry->table->columns[shared.columns[i]];
          const duckdb::Vector vector = duckdb.data_chunk_get_vector(output, i);
          const int name_bytes = column.type == ColumnType::kName ? context.name_bytes() : 0;
          if (bound.entry->narrowing == Narrowing::kNone) {
            VectorCells cells(duckdb, vector, name_bytes);
            cells.shared = &made;
            column.fill(*piece.source, piece.first, count, cells);
          } else {
            const std::size_t number = static_cast<std::size_t>(
                std::ranges::find_if(context.sources,
                                     [&](const TraceSource& one) { return &one == piece.source; }) -
                context.sources.begin());
            fill_chosen(column, *piece.source, shared.chosen[number], piece.first, count, duckdb,
                        vector, name_bytes);
          }
        }
        piece.first += count;
        context.rows_read += count;
        duckdb.data_chunk_set_size(output, count);
      },
      [&](const char* why) { duckdb.function_set_error(info, why); });
}

// Cells that begin at a row of a vector.
class ShiftedCells final : public Cells {
 public:
  ShiftedCells(Cells& all, std::size_t first, ColumnType type) : all_(all), first_(first) {
    name_bytes = all.name_bytes;
    const int bytes = type == ColumnType::kName ? name_bytes : 0;
    names = static_cast<char*>(all.names) + first * static_cast<std::size_t>(bytes);
  }
  bool* bools() override { return all_.bools() + first_; }
  std::int32_t* narrow() override { return all_.narrow() + first_; }
  std::int64_t* whole() override { return all_.whole() + first_; }
  double* reals() override { return all_.reals() + first_; }
  void text(std::size_t row, std::string_view text) override { all_.text(first_ + row, text); }
  void null(std::size_t row) override { all_.null(first_ + row); }

 private:
  Cells& all_;
  std::size_t first_;
};

void fill_chosen(const Column& column, const TraceSource& source,
                 const std::vector<std::uint32_t>& rows, std::size_t first, std::size_t count,
                 const duckdb::Library& duckdb, duckdb::Vector vector, int name_bytes) {
  VectorCells all(duckdb, vector, name_bytes);
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && rows[first + end] == rows[first + i] + (end - i)) ++end;
    ShiftedCells cells(all, i, column.type);
    column.fill(source, rows[first + i], end - i, cells);
    i = end;
  }
}

Result<void> register_table(const TableEntry& entry, const std::string& name,
                            duckdb::Connection connection) {
  const duckdb::Library& duckdb = *entry.context->duckdb;
  duckdb::TableFunction function = duckdb.create_table_function();
  duckdb.table_function_set_name(function, name.c_str());
  const auto add_parameter = [&](duckdb::TypeId id) {
    duckdb::Type type = duckdb.create_logical_type(id);
    duckdb.table_function_add_parameter(function, type);
    duckdb.destroy_logical_type(&type);
  };
  if (entry.narrowing == Narrowing::kBetween) {
    add_parameter(duckdb::kBigInt);
    add_parameter(duckdb::kBigInt);
  } else if (entry.narrowing == Narrowing::kOf) {
    add_parameter(duckdb::kVarchar);
  }
  duckdb.table_function_set_extra_info(function, new TableEntry(entry), destroy<TableEntry>);
  duckdb.table_function_set_bind(function, bind);
  duckdb.table_function_set_init(function, begin);
  duckdb.table_function_set_local_init(function, begin_thread);
  duckdb.table_function_set_function(function, scan);
  duckdb.table_function_supports_projection_pushdown(function, true);
  const bool is_registered =
      duckdb.register_table_function(connection, function) == duckdb::kSuccess;
  duckdb.destroy_table_function(&function);
  if (is_registered) return {};
  return Error{.code = ErrorCode::kMachineLacks,
               .what = fmt::format("DuckDB does not accept the table '{}'", name),
               .where = duckdb.path,
               .hint = duckdb::kHowToGet};
}

// `from kernels` is `from kernels()`.
void replace(duckdb::ReplacementInfo info, const char* name, void* data) {
  const auto& context = *static_cast<const ScanContext*>(data);
  const bool is_known =
      std::ranges::any_of(context.tables, [&](const Table& table) { return table.name == name; });
  if (is_known) context.duckdb->replacement_scan_set_function_name(info, name);
}

}  // namespace

ScanContext::~ScanContext() {
  if (owned_type_ != nullptr) duckdb->destroy_logical_type(&owned_type_);
}

const Names& ScanContext::names() const {
  return names_made.get([&] { return names_of(sources); });
}

duckdb::Type ScanContext::name_type() const {
  return name_type_made.get([&] {
    std::vector<const char*> texts;
    for (const std::string& text : names().texts()) texts.push_back(text.c_str());
    owned_type_ = duckdb->create_enum_type(texts.data(), texts.size());
    return owned_type_;
  });
}

int ScanContext::name_bytes() const {
  switch (duckdb->enum_internal_type(name_type())) {
    case duckdb::kUnsignedTinyInt:
      return 1;
    case duckdb::kUnsignedSmallInt:
      return 2;
    default:
      return 4;
  }
}

Result<void> register_tables(ScanContext& context, duckdb::Database database,
                             duckdb::Connection connection) {
  for (const Table& table : context.tables) {
    STROBE_TRY_VOID(register_table({&context, &table}, table.name, connection));
    if (table.name != "slices") continue;
    STROBE_TRY_VOID(
        register_table({&context, &table, Narrowing::kBetween}, "slices_between", connection));
    STROBE_TRY_VOID(register_table({&context, &table, Narrowing::kOf}, "slices_of", connection));
  }
  context.duckdb->add_replacement_scan(database, replace, &context, nullptr);
  return {};
}

std::vector<SchemaTable> schema() {
  constexpr const char* kTypes[] = {"BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "NAME", "VARCHAR"};
  std::vector<SchemaTable> tables;
  for (const Table& table : all_tables()) {
    SchemaTable& shown = tables.emplace_back(SchemaTable{table.name, table.meaning, {}});
    for (const Column& column : table.columns) {
      shown.columns.push_back({column.name, kTypes[static_cast<std::size_t>(column.type)],
                               column.unit, column.meaning});
    }
  }
  return tables;
}

}  // namespace strobe::query
