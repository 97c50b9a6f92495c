#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/csv.h"
#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/results/ratio_grid.h"

// CSV tables of another benchmark program: ratios of providers, and the choices of its tuner.
namespace strobe::bench {

// The rows of such a table, one after the other. Columns are given by their index in
// `names`; the file may have them in any order, with others between them.
class CsvRows {
 public:
  CsvRows(std::string_view csv, std::span<const std::string_view> names);

  bool has(std::size_t column) const { return columns_[column].has_value(); }
  // The next row that is not empty; false at the end.
  bool next();
  std::string_view field(std::size_t column) const;  // of this row; "" if absent
  // "line 3, column 'dim0': 'x' is not a size; the row is left out"
  void remark(std::size_t column, std::string_view trouble);
  // The first twenty, and how many more there were.
  std::vector<std::string> take_remarks();

 private:
  std::span<const std::string_view> names_;
  CsvRecords records_;
  std::vector<std::optional<std::size_t>> columns_;  // position of each name in a line
  std::vector<std::string> fields_;
  std::vector<std::string> remarks_;
  std::size_t remark_count_ = 0;
};

// Tables of ratios: the columns case, metric, dim0, dim1, value and optionally version, device,
// baseline, contender, status, dtype, noisy.
Result<RatioGrids> parse_ratio_grids(std::string_view csv, std::string_view name);
bool looks_like_ratio_grids(std::string_view head);

struct TunedShape {
  std::string device;
  std::string case_id;
  Shape shape;  // dim0, dim1
  std::int64_t block_x = 0;
  std::int64_t block_y = 0;
  std::int64_t warps = 0;
  std::int64_t stages = 0;
  std::int64_t shared_bytes = 0;
};

struct TunedShapes {
  std::vector<TunedShape> shapes;    // in the order of the file
  std::vector<std::string> remarks;  // rows that could not be used, by line and column
};

// The tuner's choice, shape by shape: the columns case, dim0, dim1, xblock, yblock, num_warps,
// num_stages and optionally device, shared_bytes.
Result<TunedShapes> parse_tuned_shapes(std::string_view csv, std::string_view name);
bool looks_like_tuned_shapes(std::string_view head);

}  // namespace strobe::bench
