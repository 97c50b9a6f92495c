#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/results/cell_record.h"

// Tables of ratios as other harnesses left them: no times, no kernels, one number a cell.
namespace strobe::bench {

enum class GridMetric : std::uint8_t {
  kRelativeOverhead,     // t_contender / t_baseline
  kRelativePerformance,  // 100 t_baseline / t_contender
  kDeviceSpeedup,        // 100 t_B / t_A of one provider
  kBandwidth,            // GB/s
};
std::string_view metric_name(GridMetric metric);  // "relative_overhead"

struct GridCell {
  std::int64_t dim0 = 0;
  std::int64_t dim1 = 0;
  std::optional<double> value;
  CellStatus status = CellStatus::kOk;
};

// One table: everything of one version, device, case and pair of providers, in run order.
struct RatioGrid {
  std::string version;
  std::string device;
  std::string case_id;
  std::string baseline;
  std::string contender;
  GridMetric metric = GridMetric::kRelativePerformance;
  std::vector<GridCell> cells;
};

struct RatioGrids {
  std::vector<RatioGrid> grids;
  std::size_t rows = 0;
  std::vector<std::string> remarks;  // rows that could not be used, by line and column
};

Result<RatioGrids> read_ratio_grids(const std::filesystem::path& path);
bool looks_like_ratio_grids(std::string_view head);
// The same table from a run of strobe's own.
RatioGrid ratio_grid(const BenchRun& run, std::string_view case_id, DType dtype,
                     std::string_view baseline, std::string_view contender, GridMetric metric);

}  // namespace strobe::bench
