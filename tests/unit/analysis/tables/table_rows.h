#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "strobe/analysis/tables/tables.h"

// The rows of single tables, all threads together.
namespace strobe::analysis {

inline std::vector<OperatorRow> operator_rows(const Trace& trace,
                                              TreeRules rules = TreeRules::kStrobe) {
  const auto groups = list_operators(attribute_trace(trace, {}, rules), {}, false);
  return groups.empty() ? std::vector<OperatorRow>() : groups.front().rows;
}

inline std::vector<UserRangeRow> range_rows(const Trace& trace,
                                            TreeRules rules = TreeRules::kStrobe) {
  const auto groups = list_user_ranges(attribute_trace(trace, {}, rules), false);
  return groups.empty() ? std::vector<UserRangeRow>() : groups.front().rows;
}

inline std::vector<KernelRow> kernel_rows(const Trace& trace) {
  return list_kernels(attribute_trace(trace));
}

// Null if there is none.
inline const TypeRow* find_kind(const std::vector<TypeRow>& rows, SliceKind kind) {
  for (const TypeRow& row : rows) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

// A test fails if there is none.
inline TypeRow row_of_kind(const std::vector<TypeRow>& rows, SliceKind kind) {
  const TypeRow* row = find_kind(rows, kind);
  if (row != nullptr) return *row;
  ADD_FAILURE() << "no row " << word_of(kind);
  return {};
}

}  // namespace strobe::analysis
