#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/workers/runner.h"

// What a run consists of, before anything runs.
namespace strobe::bench {

// The cells that are measured together: one for each provider.
struct CellGroup {
  const CaseInfo* info = nullptr;
  Shape shape;
  DType dtype = DType::kF32;
};
// Case by case, type by type, the shapes in the order of their grid.
Result<std::vector<CellGroup>> expand(const RunRequest& request);

double elements_of(CaseKind kind, const Shape& shape);
// Cells of one case and one bucket share a worker; what one of them leaves behind is small beside
// the others of its size.
int bucket_of(const CellGroup& group);

// Why it will not fit, or nothing.
std::optional<std::string> predicted_oom(double resident_bytes, std::optional<double> free_bytes);
// All prepared at once on a device with that much free.
bool fit_together(const std::vector<double>& resident_bytes, std::optional<double> free_bytes);

}  // namespace strobe::bench
