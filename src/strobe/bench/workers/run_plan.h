#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/measure/measure.h"

// What a run consists of, before anything runs.
namespace strobe::bench {

// Which cells.
struct CellChoice {
  std::vector<std::string> cases;
  std::vector<Shape> shapes;       // asked for by hand; empty: the grid
  std::string grid;                // empty: the usual one of each case
  std::vector<DType> dtypes;       // empty: the usual one of each case
  std::int64_t most_elements = 0;  // shapes beyond are left out; 0: none
};

// What is done with a cell that is prepared.
struct CellTiming {
  std::vector<TimeMode> modes;  // empty: what each provider can
  MeasureOptions measure;
  bool is_profiled = false;  // nothing but the cells runs: no roofs, no long calls
  bool lists_api = false;    // after timing, the API calls of one more call
  int repeat_check = 0;      // how often the values are asked for once more
};

// The cells that are measured together: one for each provider.
struct CellGroup {
  const CaseInfo* info = nullptr;
  Shape shape;
  DType dtype = DType::kF32;
};
// Case by case, type by type, the shapes in the order of their grid.
Result<std::vector<CellGroup>> expand(const CellChoice& choice);

double elements_of(CaseKind kind, const Shape& shape);
// Cells of one case and one bucket share a worker; what one of them leaves behind is small beside
// the others of its size.
int bucket_of(const CellGroup& group);

// Why it will not fit, or nothing.
std::optional<std::string> predicted_oom(double resident_bytes, std::optional<double> free_bytes);
// All prepared at once on a device with that much free.
bool fit_together(const std::vector<double>& resident_bytes, std::optional<double> free_bytes);

}  // namespace strobe::bench
