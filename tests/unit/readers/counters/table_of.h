#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"

namespace strobe::readers {

// The list of kernels in these bytes, whatever its format; empty, with a failure, if there is none.
inline KernelTable table_of(const std::string& bytes) {
  Result<KernelTable> table = read_kernels_bytes(bytes, "kernels");
  EXPECT_TRUE(table) << (table ? "" : table.error().what);
  return table ? std::move(table).value() : KernelTable{};
}

}  // namespace strobe::readers
