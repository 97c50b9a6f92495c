#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/query/filled_tables.h"

// Tables for other libraries in their own process, without a copy: Apache Arrow's C data interface,
// whose structs are a stable binary interface that needs no library.
namespace strobe::query::arrow {

struct Schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  Schema** children;
  Schema* dictionary;
  void (*release)(Schema*);
  void* private_data;
};

struct Array {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  Array** children;
  Array* dictionary;
  void (*release)(Array*);
  void* private_data;
};

struct Stream {
  int (*get_schema)(Stream*, Schema* out);
  int (*get_next)(Stream*, Array* out);
  const char* (*get_last_error)(Stream*);
  void (*release)(Stream*);
  void* private_data;
};

// The columns as one batch, which keeps them alive. They are as long as each other: `rows`. Only
// truth values are copied, because Arrow has them as bits.
void export_stream(std::vector<NamedColumn> columns, std::size_t rows, Stream& out);

}  // namespace strobe::query::arrow
