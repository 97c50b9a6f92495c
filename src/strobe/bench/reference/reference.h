#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/provider.h"

// The expected values, in f64 on the host, row by row, from inputs rounded to the cell's type.
//
// A row of an output, as stored:
//   over rows     one row of [R, C]; transposed: of [C, R]; of a sum of each row, one value
//   matmul        one row of [M, N]; matmul_matmul: of [M, K]
//   convolution   one pixel with its filters: [N P Q, K]
//   attention     one query of one head: [B H S, D]
namespace strobe::bench {

struct OutputLayout {
  std::int64_t rows = 0;      // of the stored output: output_rows() counts these
  std::int64_t columns = 0;   // values in each
  std::int64_t row_work = 0;  // multiplications per row in the reference
};
std::vector<OutputLayout> output_layouts(const CaseInfo& info, const Shape& shape);

// The rows to check: all up to 2^24 elements, else 512 by seed, with the first and the last. Fewer
// if a row is expensive (matmul, convolution, attention), so that a check takes about a second:
// 2^30 multiplications in total.
std::vector<std::int64_t> rows_to_check(const OutputLayout& layout, std::uint64_t seed);

// The requested rows of output `index`, one after the other.
std::vector<double> reference_rows(const CaseInfo& info, const PrepareRequest& request,
                                   std::size_t index, std::span<const std::int64_t> rows);

struct Tolerance {
  double atol = 0;
  double rtol = 0;
};
Tolerance tolerance_of(const CaseInfo& info, const Shape& shape, DType dtype);

// Compares as many values as `expected` has; missing values of `actual` do not pass. |a - b| <=
// atol + rtol |b|; NaN never passes, infinities must match in sign.
Accuracy compare_values(std::span<const float> actual, std::span<const double> expected,
                        const Tolerance& tolerance);
// `first_index` is the index of the other's first value among the values of all outputs.
void merge(Accuracy& into, const Accuracy& other, std::int64_t first_index);
// "Equality ratio: 100.00%"
std::string equality_line(const Accuracy& accuracy);

}  // namespace strobe::bench
