#pragma once

#include <cstddef>

#include "strobe/trace/tables.h"

namespace strobe::readers {

// Memory for this many rows. Long columns ask the system for large pages: filling a page for the
// first time costs more than what is put into it.
void reserve_rows(SliceVectors& slices, std::size_t rows);

// Adds empty rows to every column; returns the first of them.
std::size_t append_rows(SliceVectors& slices, std::size_t rows);

}  // namespace strobe::readers
