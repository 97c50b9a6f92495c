#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"

// Tables of ratios, as other benchmark programs write them: no times, no kernels, one number per
// cell.
namespace strobe::bench {

enum class GridMetric : std::uint8_t {
  kRelativeOverhead,     // t_contender / t_baseline
  kRelativePerformance,  // 100 t_baseline / t_contender
  kDeviceSpeedup,        // 100 t_B / t_A of one provider
  kBandwidth,            // GB/s
};
std::string_view metric_name(GridMetric metric);  // "relative_overhead"
std::optional<GridMetric> find_metric(std::string_view name);

// Of a foreign table too, so by its name.
bool is_attention(std::string_view case_id);
// Runs one kernel per operator, as its name says: "torch-eager", "cuda-unfused".
bool is_unfused_provider(std::string_view provider);

struct GridCell {
  std::int64_t dim0 = 0;
  std::int64_t dim1 = 0;
  std::optional<double> value = {};  // also for a wrong cell, which is shown struck out
  CellStatus status = CellStatus::kOk;
  bool ran_same_kernels = false;                   // shown with '=', left out of means
  std::optional<std::array<double, 2>> ci95 = {};  // of the value, if the times have one
  Shape shape = {};                                // for strobe's own runs: all axes
  bool is_noisy = false;                           // one of its times is: shown with '?'

  // Whether the value counts in means and checks.
  bool counts() const { return value && status == CellStatus::kOk && !ran_same_kernels; }
};

// One table: everything of one version, device, case and pair of providers, in run order.
struct RatioGrid {
  std::string version;
  std::string device;
  std::string case_id;
  std::string baseline;
  std::string contender;
  GridMetric metric = GridMetric::kRelativePerformance;
  std::vector<GridCell> cells = {};
  std::string dtype = {};    // "f32"; "" if unknown
  std::string variant = {};  // axes beyond the two: "hd64_nh32", "k1024"
  bool is_list = false;      // shapes without two axes: dim0 counts them, dim1 is 0

  // The contender without its device: "triton" of "triton@A100".
  std::string provider() const { return contender.substr(0, contender.find('@')); }
};

struct GridMean {
  double mean = 0;  // geometric
  std::size_t cells = 0;
};
// Over the cells that count; nothing if there are none.
std::optional<GridMean> geometric_mean(const RatioGrid& grid);

struct RatioGrids {
  std::vector<RatioGrid> grids;
  std::size_t rows = 0;
  std::vector<std::string> remarks;  // rows that could not be used, by line and column
};

// The same table from one of strobe's own runs, by its headline times or those of a mode; every
// shape of the case in one list of cells. For bandwidth `baseline` is ignored.
RatioGrid ratio_grid(const BenchRun& run, std::string_view case_id, DType dtype,
                     std::string_view baseline, std::string_view contender, GridMetric metric,
                     std::optional<TimeMode> mode = {});
// Split into tables of rows and columns: attention by heads, matmul by K.
std::vector<RatioGrid> tables_of(const RatioGrid& grid);
// The same provider on two devices: how much faster `run` is than `other`.
RatioGrid device_grid(const BenchRun& run, const BenchRun& other, std::string_view case_id,
                      DType dtype, std::string_view provider, std::optional<TimeMode> mode = {});

}  // namespace strobe::bench
