#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// The calls of DuckDB's C API that strobe uses, as DuckDB 1.4 declares them; its header is not
// needed to build. Types, numbers and names are part of the library's binary interface, which
// DuckDB keeps stable.
namespace strobe::query::duckdb {

using Count = std::uint64_t;

using Database = struct DatabaseTag*;
using Connection = struct ConnectionTag*;
using Config = struct ConfigTag*;
using Statements = struct StatementsTag*;
using Prepared = struct PreparedTag*;
using Chunk = struct ChunkTag*;
using Vector = struct VectorTag*;
using Type = struct TypeTag*;
using Value = struct ValueTag*;
using TableFunction = struct TableFunctionTag*;
using ScalarFunction = struct ScalarFunctionTag*;
using AggregateFunction = struct AggregateFunctionTag*;
using AggregateState = struct AggregateStateTag*;
using BindInfo = struct BindInfoTag*;
using InitInfo = struct InitInfoTag*;
using CallInfo = struct CallInfoTag*;
using ReplacementInfo = struct ReplacementInfoTag*;

enum State : int { kSuccess = 0, kFailure = 1 };

enum TypeId : int {
  kBoolean = 1,
  kTinyInt = 2,
  kSmallInt = 3,
  kInteger = 4,
  kBigInt = 5,
  kUnsignedTinyInt = 6,
  kUnsignedSmallInt = 7,
  kUnsignedInteger = 8,
  kUnsignedBigInt = 9,
  kFloat = 10,
  kDouble = 11,
  kHugeInt = 16,
  kVarchar = 17,
  kDecimal = 19,
  kEnum = 23,
};

enum StatementType : int {
  kSelectStatement = 1,
  kExplainStatement = 4,
};

enum ErrorType : int {
  kInterruptError = 29,
  kOutOfMemoryError = 33,
};

// Passed by value and never looked into; only the last member is in use.
struct Answer {
  Count unused_columns = 0;
  Count unused_rows = 0;
  Count unused_changed = 0;
  void* unused_data = nullptr;
  char* unused_error = nullptr;
  void* data = nullptr;
};

struct HugeInt {
  std::uint64_t lower;
  std::int64_t upper;
};

// A text of up to 12 bytes is stored in place; else four bytes of it, then its address.
struct alignas(8) String {
  static constexpr std::uint32_t kMostInPlace = 12;
  std::uint32_t length;
  char bytes[kMostInPlace];

  std::string_view view() const {
    if (length <= kMostInPlace) return {bytes, length};
    const char* text = nullptr;
    std::memcpy(&text, bytes + 4, sizeof text);
    return {text, length};
  }
};
static_assert(sizeof(String) == 16);

using Delete = void (*)(void* data);
using Replace = void (*)(ReplacementInfo info, const char* name, void* data);
using Bind = void (*)(BindInfo info);
using Init = void (*)(InitInfo info);
using Scan = void (*)(CallInfo info, Chunk output);
using Scalar = void (*)(CallInfo info, Chunk input, Vector output);
using StateBytes = Count (*)(CallInfo info);
using StateInit = void (*)(CallInfo info, AggregateState state);
using StateDestroy = void (*)(AggregateState* states, Count count);
using Update = void (*)(CallInfo info, Chunk input, AggregateState* states);
using Combine = void (*)(CallInfo info, AggregateState* source, AggregateState* target,
                         Count count);
using Finalize = void (*)(CallInfo info, AggregateState* source, Vector result, Count count,
                          Count offset);

// name of the member, what it returns, its arguments; the library's name has "duckdb_" in front.
#define STROBE_DUCKDB_CALLS(CALL)                                                      \
  CALL(library_version, const char*, ())                                               \
  CALL(free, void, (void*))                                                            \
  CALL(create_config, State, (Config*))                                                \
  CALL(set_config, State, (Config, const char*, const char*))                          \
  CALL(destroy_config, void, (Config*))                                                \
  CALL(open_ext, State, (const char*, Database*, Config, char**))                      \
  CALL(close, void, (Database*))                                                       \
  CALL(connect, State, (Database, Connection*))                                        \
  CALL(disconnect, void, (Connection*))                                                \
  CALL(interrupt, void, (Connection))                                                  \
  CALL(query, State, (Connection, const char*, Answer*))                               \
  CALL(extract_statements, Count, (Connection, const char*, Statements*))              \
  CALL(extract_statements_error, const char*, (Statements))                            \
  CALL(destroy_extracted, void, (Statements*))                                         \
  CALL(prepare_extracted_statement, State, (Connection, Statements, Count, Prepared*)) \
  CALL(prepare, State, (Connection, const char*, Prepared*))                           \
  CALL(prepare_error, const char*, (Prepared))                                         \
  CALL(prepared_statement_type, StatementType, (Prepared))                             \
  CALL(prepared_statement_column_count, Count, (Prepared))                             \
  CALL(prepared_statement_column_name, const char*, (Prepared, Count))                 \
  CALL(prepared_statement_column_type, TypeId, (Prepared, Count))                      \
  CALL(destroy_prepare, void, (Prepared*))                                             \
  CALL(execute_prepared_streaming, State, (Prepared, Answer*))                         \
  CALL(result_error, const char*, (Answer*))                                           \
  CALL(result_error_type, ErrorType, (Answer*))                                        \
  CALL(destroy_result, void, (Answer*))                                                \
  CALL(column_count, Count, (Answer*))                                                 \
  CALL(column_name, const char*, (Answer*, Count))                                     \
  CALL(column_type, TypeId, (Answer*, Count))                                          \
  CALL(column_logical_type, Type, (Answer*, Count))                                    \
  CALL(fetch_chunk, Chunk, (Answer))                                                   \
  CALL(destroy_data_chunk, void, (Chunk*))                                             \
  CALL(data_chunk_get_size, Count, (Chunk))                                            \
  CALL(data_chunk_set_size, void, (Chunk, Count))                                      \
  CALL(data_chunk_get_vector, Vector, (Chunk, Count))                                  \
  CALL(vector_get_data, void*, (Vector))                                               \
  CALL(vector_get_validity, std::uint64_t*, (Vector))                                  \
  CALL(vector_ensure_validity_writable, void, (Vector))                                \
  CALL(vector_assign_string_element_len, void, (Vector, Count, const char*, Count))    \
  CALL(vector_get_column_type, Type, (Vector))                                         \
  CALL(create_logical_type, Type, (TypeId))                                            \
  CALL(create_enum_type, Type, (const char**, Count))                                  \
  CALL(logical_type_set_alias, void, (Type, const char*))                              \
  CALL(destroy_logical_type, void, (Type*))                                            \
  CALL(enum_internal_type, TypeId, (Type))                                             \
  CALL(enum_dictionary_size, std::uint32_t, (Type))                                    \
  CALL(enum_dictionary_value, char*, (Type, Count))                                    \
  CALL(decimal_scale, std::uint8_t, (Type))                                            \
  CALL(decimal_internal_type, TypeId, (Type))                                          \
  CALL(get_int64, std::int64_t, (Value))                                               \
  CALL(get_varchar, char*, (Value))                                                    \
  CALL(destroy_value, void, (Value*))                                                  \
  CALL(create_table_function, TableFunction, ())                                       \
  CALL(table_function_set_name, void, (TableFunction, const char*))                    \
  CALL(table_function_add_parameter, void, (TableFunction, Type))                      \
  CALL(table_function_set_extra_info, void, (TableFunction, void*, Delete))            \
  CALL(table_function_set_bind, void, (TableFunction, Bind))                           \
  CALL(table_function_set_init, void, (TableFunction, Init))                           \
  CALL(table_function_set_local_init, void, (TableFunction, Init))                     \
  CALL(table_function_set_function, void, (TableFunction, Scan))                       \
  CALL(table_function_supports_projection_pushdown, void, (TableFunction, bool))       \
  CALL(register_table_function, State, (Connection, TableFunction))                    \
  CALL(destroy_table_function, void, (TableFunction*))                                 \
  CALL(bind_add_result_column, void, (BindInfo, const char*, Type))                    \
  CALL(bind_set_cardinality, void, (BindInfo, Count, bool))                            \
  CALL(bind_get_parameter, Value, (BindInfo, Count))                                   \
  CALL(bind_get_extra_info, void*, (BindInfo))                                         \
  CALL(bind_set_bind_data, void, (BindInfo, void*, Delete))                            \
  CALL(bind_set_error, void, (BindInfo, const char*))                                  \
  CALL(init_get_bind_data, void*, (InitInfo))                                          \
  CALL(init_set_init_data, void, (InitInfo, void*, Delete))                            \
  CALL(init_get_column_count, Count, (InitInfo))                                       \
  CALL(init_get_column_index, Count, (InitInfo, Count))                                \
  CALL(init_set_max_threads, void, (InitInfo, Count))                                  \
  CALL(init_set_error, void, (InitInfo, const char*))                                  \
  CALL(function_get_bind_data, void*, (CallInfo))                                      \
  CALL(function_get_init_data, void*, (CallInfo))                                      \
  CALL(function_get_local_init_data, void*, (CallInfo))                                \
  CALL(function_set_error, void, (CallInfo, const char*))                              \
  CALL(add_replacement_scan, void, (Database, Replace, void*, Delete))                 \
  CALL(replacement_scan_set_function_name, void, (ReplacementInfo, const char*))       \
  CALL(create_scalar_function, ScalarFunction, ())                                     \
  CALL(scalar_function_set_name, void, (ScalarFunction, const char*))                  \
  CALL(scalar_function_add_parameter, void, (ScalarFunction, Type))                    \
  CALL(scalar_function_set_return_type, void, (ScalarFunction, Type))                  \
  CALL(scalar_function_set_function, void, (ScalarFunction, Scalar))                   \
  CALL(scalar_function_set_error, void, (CallInfo, const char*))                       \
  CALL(register_scalar_function, State, (Connection, ScalarFunction))                  \
  CALL(destroy_scalar_function, void, (ScalarFunction*))                               \
  CALL(create_aggregate_function, AggregateFunction, ())                               \
  CALL(aggregate_function_set_name, void, (AggregateFunction, const char*))            \
  CALL(aggregate_function_add_parameter, void, (AggregateFunction, Type))              \
  CALL(aggregate_function_set_return_type, void, (AggregateFunction, Type))            \
  CALL(aggregate_function_set_functions, void,                                         \
       (AggregateFunction, StateBytes, StateInit, Update, Combine, Finalize))          \
  CALL(aggregate_function_set_destructor, void, (AggregateFunction, StateDestroy))     \
  CALL(aggregate_function_set_error, void, (CallInfo, const char*))                    \
  CALL(register_aggregate_function, State, (Connection, AggregateFunction))            \
  CALL(destroy_aggregate_function, void, (AggregateFunction*))

struct Library {
#define STROBE_DUCKDB_MEMBER(name, Returned, arguments) Returned(*name) arguments = nullptr;
  STROBE_DUCKDB_CALLS(STROBE_DUCKDB_MEMBER)
#undef STROBE_DUCKDB_MEMBER
  std::string path;
};

// Where the library may be, best first: $STROBE_DUCKDB, beside strobe, what `tools/setup
// --with-query` installs, the folders of packages, what the loader finds.
std::vector<std::string> library_places();

// The library, opened once for the life of the process. kMachineLacks: it is not there, or is too
// old, and how to get it.
Result<const Library*> library();
// The same for callbacks, which the library itself has called.
const Library& opened();

inline constexpr const char* kHowToGet =
    "run tools/setup --with-query in strobe's sources, or set "
    "STROBE_DUCKDB to the path of libduckdb.so";

}  // namespace strobe::query::duckdb
