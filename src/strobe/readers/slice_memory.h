#pragma once

#include <cstddef>
#include <cstdint>

#include "strobe/trace/tables.h"

namespace strobe::readers {

// Memory for this many rows. Long columns ask the system for large pages: filling a page for the
// first time costs more than what is put into it.
void reserve_rows(SliceVectors& slices, std::size_t rows);

// The places of new rows in every column. PERF: plain pointers; through the vectors, a compiler
// must expect that each store moves all the others.
struct NewRows {
  std::int64_t* starts_ns;
  std::int64_t* durations_ns;
  StringId* names;
  TrackId* tracks;
  CategoryId* categories;
  SliceKind* kinds;
  std::uint8_t* flags;
  std::uint32_t* correlations;
  std::uint32_t* externals;
  ArgsId* args;
};

// Adds empty rows, which are valid until the next ones are added.
NewRows append_rows(SliceVectors& slices, std::size_t rows);

}  // namespace strobe::readers
