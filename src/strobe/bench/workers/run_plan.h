#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/measure/measure.h"

// The content of a run, before anything runs.
namespace strobe::bench {

// Selects the cells.
struct CellChoice {
  std::vector<std::string> cases;
  std::vector<Shape> shapes;       // given by the user; empty: the grid
  std::string grid;                // empty: the default of each case
  std::vector<DType> dtypes;       // empty: the default of each case
  std::int64_t most_elements = 0;  // larger shapes are left out; 0: no limit
};

// What to do with a prepared cell.
struct CellTiming {
  std::vector<TimeMode> modes;  // empty: all that each provider has
  MeasureOptions measure;
  bool is_profiled = false;  // only the cells run: no roofs, no long calls
  bool lists_api = false;    // after timing, list the API calls of one more call
  int repeat_check = 0;      // how often the values are requested again
};

// The cells that are measured together: one for each provider.
struct CellGroup {
  const CaseInfo* info = nullptr;
  Shape shape;
  DType dtype = DType::kF32;
};
// Case by case, type by type, with the shapes in grid order.
Result<std::vector<CellGroup>> expand(const CellChoice& choice);

double elements_of(CaseKind kind, const Shape& shape);
// Cells of one case and one bucket of sizes share a worker: what one leaves behind is small
// compared with the others of its size.
int size_bucket(const CellGroup& group);
std::string worker_key(const CellGroup& group);

// Why it will not fit; nothing if it will.
std::optional<std::string> predicted_oom(double resident_bytes, std::optional<double> free_bytes);
// Whether all fit at once on a device with that much free memory.
bool fit_together(const std::vector<double>& resident_bytes, std::optional<double> free_bytes);

}  // namespace strobe::bench
