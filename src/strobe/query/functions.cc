#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/interval.h"
#include "strobe/device/kernel_family.h"
#include "strobe/device/kernel_name.h"
#include "strobe/query/table_scan.h"

// Functions that SQL lacks for traces.
namespace strobe::query {
namespace {

using duckdb::Library;

const std::int64_t* whole_numbers(duckdb::Chunk input, duckdb::Count argument) {
  const Library& duckdb = duckdb::opened();
  return static_cast<const std::int64_t*>(
      duckdb.vector_get_data(duckdb.data_chunk_get_vector(input, argument)));
}

bool is_valid(const std::uint64_t* validity, duckdb::Count row) {
  return validity == nullptr || ((validity[row / 64] >> (row % 64)) & 1u) != 0;
}

const std::uint64_t* validity_of(duckdb::Chunk input, duckdb::Count argument) {
  const Library& duckdb = duckdb::opened();
  return duckdb.vector_get_validity(duckdb.data_chunk_get_vector(input, argument));
}

// How long [a0, a1) and [b0, b1) are both open. Absent arguments make absent results.
void overlap(duckdb::CallInfo, duckdb::Chunk input, duckdb::Vector output) {
  const Library& duckdb = duckdb::opened();
  const std::int64_t* a0 = whole_numbers(input, 0);
  const std::int64_t* a1 = whole_numbers(input, 1);
  const std::int64_t* b0 = whole_numbers(input, 2);
  const std::int64_t* b1 = whole_numbers(input, 3);
  auto* result = static_cast<std::int64_t*>(duckdb.vector_get_data(output));
  const duckdb::Count rows = duckdb.data_chunk_get_size(input);
  for (duckdb::Count i = 0; i < rows; ++i) {
    const std::int64_t start_ns = std::max(a0[i], b0[i]);
    const std::int64_t end_ns = std::min(a1[i], b1[i]);
    result[i] = end_ns > start_ns ? end_ns - start_ns : 0;
  }
}

// A state of busy(): the intervals so far, joined whenever they have doubled.
class Busy {
 public:
  void add(Interval next) {
    if (!intervals_.empty() && next.start_ns >= intervals_.back().start_ns &&
        join(intervals_.back(), next)) {
      return;
    }
    intervals_.push_back(next);
    if (intervals_.size() >= tidy_at_) tidy();
  }
  void add(const Busy& other) {
    for (const Interval& one : other.intervals_) add(one);
  }
  bool empty() const { return intervals_.empty(); }
  std::int64_t total() {
    tidy();
    return total_ns(intervals_);
  }

 private:
  void tidy() {
    intervals_ = union_of(std::move(intervals_));
    tidy_at_ = std::max<std::size_t>(64, 2 * intervals_.size());
  }

  IntervalSet intervals_;
  std::size_t tidy_at_ = 64;
};

// The engine's memory for a state holds only a pointer, null until there is an interval.
Busy*& busy_in(duckdb::AggregateState state) { return *reinterpret_cast<Busy**>(state); }

duckdb::Count busy_bytes(duckdb::CallInfo) { return sizeof(Busy*); }
void busy_begin(duckdb::CallInfo, duckdb::AggregateState state) { busy_in(state) = nullptr; }
void busy_end(duckdb::AggregateState* states, duckdb::Count count) {
  for (duckdb::Count i = 0; i < count; ++i) {
    delete busy_in(states[i]);
    busy_in(states[i]) = nullptr;
  }
}

Busy& made(duckdb::AggregateState state) {
  Busy*& busy = busy_in(state);
  if (busy == nullptr) busy = new Busy;
  return *busy;
}

constexpr const char* kNoMemory = "Out of Memory Error: strobe has no memory for these intervals";

void busy_add(duckdb::CallInfo info, duckdb::Chunk input, duckdb::AggregateState* states) {
  const Library& duckdb = duckdb::opened();
  const std::int64_t* starts = whole_numbers(input, 0);
  const std::int64_t* stops = whole_numbers(input, 1);
  const std::uint64_t* have_start = validity_of(input, 0);
  const std::uint64_t* have_stop = validity_of(input, 1);
  const duckdb::Count rows = duckdb.data_chunk_get_size(input);
  try {
    for (duckdb::Count i = 0; i < rows; ++i) {
      if (!is_valid(have_start, i) || !is_valid(have_stop, i) || stops[i] < starts[i]) continue;
      made(states[i]).add({starts[i], stops[i]});
    }
  } catch (const std::bad_alloc&) {
    duckdb.aggregate_function_set_error(info, kNoMemory);
  }
}

void busy_join(duckdb::CallInfo info, duckdb::AggregateState* source,
               duckdb::AggregateState* target, duckdb::Count count) {
  try {
    for (duckdb::Count i = 0; i < count; ++i) {
      if (busy_in(source[i]) != nullptr) made(target[i]).add(*busy_in(source[i]));
    }
  } catch (const std::bad_alloc&) {
    duckdb::opened().aggregate_function_set_error(info, kNoMemory);
  }
}

void busy_give(duckdb::CallInfo, duckdb::AggregateState* states, duckdb::Vector result,
               duckdb::Count count, duckdb::Count offset) {
  auto* values = static_cast<std::int64_t*>(duckdb::opened().vector_get_data(result));
  for (duckdb::Count i = 0; i < count; ++i) {
    Busy* busy = busy_in(states[i]);
    values[offset + i] = busy == nullptr ? 0 : busy->total();
  }
}

// A function of a text, called once per different text of a chunk.
template <class Answer>
void map_texts(duckdb::CallInfo info, duckdb::Chunk input, duckdb::Vector output,
               const Answer& answer) {
  const Library& duckdb = duckdb::opened();
  const duckdb::Vector texts = duckdb.data_chunk_get_vector(input, 0);
  const auto* values = static_cast<const duckdb::String*>(duckdb.vector_get_data(texts));
  const std::uint64_t* validity = duckdb.vector_get_validity(texts);
  const duckdb::Count rows = duckdb.data_chunk_get_size(input);
  try {
    std::unordered_map<std::string_view, std::string> known;
    for (duckdb::Count i = 0; i < rows; ++i) {
      if (!is_valid(validity, i)) continue;
      const std::string_view text = values[i].view();
      auto found = known.find(text);
      if (found == known.end()) found = known.emplace(text, answer(text)).first;
      const std::string& made = found->second;
      duckdb.vector_assign_string_element_len(output, i, made.data(), made.size());
    }
  } catch (const std::bad_alloc&) {
    duckdb.scalar_function_set_error(info, kNoMemory);
  }
}

void short_name(duckdb::CallInfo info, duckdb::Chunk input, duckdb::Vector output) {
  map_texts(info, input, output, [](std::string_view name) { return device::short_name(name); });
}

void family(duckdb::CallInfo info, duckdb::Chunk input, duckdb::Vector output) {
  map_texts(info, input, output, [](std::string_view name) {
    return std::string(device::word_of(device::kernel_family(name)));
  });
}

Error refused(const Library& duckdb, std::string_view name) {
  return {.code = ErrorCode::kMachineLacks,
          .what = fmt::format("DuckDB does not accept the function '{}'", name),
          .where = duckdb.path,
          .hint = duckdb::kHowToGet};
}

Result<void> add_scalar(const Library& duckdb, duckdb::Connection connection, const char* name,
                        duckdb::TypeId type, int parameters, duckdb::Scalar call) {
  duckdb::ScalarFunction function = duckdb.create_scalar_function();
  duckdb::Type engine_type = duckdb.create_logical_type(type);
  duckdb.scalar_function_set_name(function, name);
  for (int i = 0; i < parameters; ++i) duckdb.scalar_function_add_parameter(function, engine_type);
  duckdb.scalar_function_set_return_type(function, engine_type);
  duckdb.scalar_function_set_function(function, call);
  const bool is_registered =
      duckdb.register_scalar_function(connection, function) == duckdb::kSuccess;
  duckdb.destroy_logical_type(&engine_type);
  duckdb.destroy_scalar_function(&function);
  if (!is_registered) return refused(duckdb, name);
  return {};
}

Result<void> add_busy(const Library& duckdb, duckdb::Connection connection) {
  duckdb::AggregateFunction function = duckdb.create_aggregate_function();
  duckdb::Type whole = duckdb.create_logical_type(duckdb::kBigInt);
  duckdb.aggregate_function_set_name(function, "busy");
  duckdb.aggregate_function_add_parameter(function, whole);
  duckdb.aggregate_function_add_parameter(function, whole);
  duckdb.aggregate_function_set_return_type(function, whole);
  duckdb.aggregate_function_set_functions(function, busy_bytes, busy_begin, busy_add, busy_join,
                                          busy_give);
  duckdb.aggregate_function_set_destructor(function, busy_end);
  const bool is_registered =
      duckdb.register_aggregate_function(connection, function) == duckdb::kSuccess;
  duckdb.destroy_logical_type(&whole);
  duckdb.destroy_aggregate_function(&function);
  if (!is_registered) return refused(duckdb, "busy");
  return {};
}

}  // namespace

Result<void> register_functions(const Library& duckdb, duckdb::Connection connection) {
  STROBE_TRY_VOID(add_scalar(duckdb, connection, "overlap", duckdb::kBigInt, 4, overlap));
  STROBE_TRY_VOID(add_scalar(duckdb, connection, "short_name", duckdb::kVarchar, 1, short_name));
  STROBE_TRY_VOID(add_scalar(duckdb, connection, "family", duckdb::kVarchar, 1, family));
  return add_busy(duckdb, connection);
}

}  // namespace strobe::query
