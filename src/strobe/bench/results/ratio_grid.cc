#include "strobe/bench/results/ratio_grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/bench/judge/kernel_signature.h"

namespace strobe::bench {
namespace {

constexpr std::pair<GridMetric, std::string_view> kMetrics[] = {
    {GridMetric::kRelativeOverhead, "relative_overhead"},
    {GridMetric::kRelativePerformance, "relative_performance_pct"},
    {GridMetric::kDeviceSpeedup, "device_speedup_pct"},
    {GridMetric::kBandwidth, "gbps"}};

// The records of one case in one type, in execution order.
class CaseRecords {
 public:
  CaseRecords(const BenchRun& run, std::string_view case_id, DType dtype) {
    for (const CellRecord& record : run.cells) {
      if (record.cell.case_id == case_id && record.cell.dtype == dtype) records_.push_back(&record);
    }
  }

  const CellRecord* find(const Shape& shape, std::string_view provider) const {
    const auto found = std::ranges::find_if(records_, [&](const CellRecord* record) {
      return record->cell.shape == shape && record->cell.provider == provider;
    });
    return found == records_.end() ? nullptr : *found;
  }

  std::vector<Shape> shapes() const {  // each once
    std::vector<Shape> shapes;
    for (const CellRecord* record : records_) {
      const Shape& shape = record->cell.shape;
      if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
    }
    return shapes;
  }

 private:
  std::vector<const CellRecord*> records_;
};

// Why the ratio of the two has no value, the contender's reason first; kOk if it has one.
CellStatus quotient_status(const CellRecord* contender, const CellRecord* baseline,
                           std::optional<TimeMode> mode) {
  for (const CellRecord* record : {contender, baseline}) {
    if (record == nullptr) return CellStatus::kMissing;
    if (!ran_through(record->status)) {
      return record->status;
    }
    const TimeSummary* const time = time_of(*record, mode);
    if (time == nullptr || !(time->p50 > 0)) return CellStatus::kMissing;
  }
  const bool is_wrong =
      contender->status == CellStatus::kWrong || baseline->status == CellStatus::kWrong;
  return is_wrong ? CellStatus::kWrong : CellStatus::kOk;
}

// numerator / denominator with its interval, from the outer ends of both intervals.
void set_quotient(GridCell& cell, const TimeSummary& numerator, const TimeSummary& denominator,
                  double scale) {
  cell.value = scale * numerator.p50 / denominator.p50;
  if (numerator.ci95[0] > 0 && denominator.ci95[0] > 0) {
    cell.ci95 = {scale * numerator.ci95[0] / denominator.ci95[1],
                 scale * numerator.ci95[1] / denominator.ci95[0]};
  }
}

GridCell ratio_cell(const CellRecord* contender, const CellRecord* baseline, GridMetric metric,
                    std::optional<TimeMode> mode) {
  GridCell cell;
  cell.status = quotient_status(contender, baseline, mode);
  if (!ran_through(cell.status)) return cell;
  const TimeSummary& ours = *time_of(*contender, mode);
  const TimeSummary& theirs = *time_of(*baseline, mode);
  if (metric == GridMetric::kRelativeOverhead) {
    set_quotient(cell, ours, theirs, 1);
  } else {
    set_quotient(cell, theirs, ours, 100);
  }
  cell.ran_same_kernels =
      metric != GridMetric::kDeviceSpeedup && ran_the_same(*baseline, *contender);
  cell.is_noisy = contender->has(CellFlag::kNoisy) || baseline->has(CellFlag::kNoisy);
  return cell;
}

GridCell rate_cell(const CellRecord* record, std::optional<TimeMode> mode) {
  GridCell cell;
  cell.status = quotient_status(record, record, mode);
  if (!ran_through(cell.status)) return cell;
  if (!(record->bytes.min > 0)) {
    cell.status = CellStatus::kMissing;
    return cell;
  }
  const TimeSummary& time = *time_of(*record, mode);
  cell.value = record->gbps(time.p50);
  cell.is_noisy = record->has(CellFlag::kNoisy);
  if (time.ci95[0] > 0) cell.ci95 = {record->gbps(time.ci95[1]), record->gbps(time.ci95[0])};
  return cell;
}

void place(GridCell& cell, const Shape& shape) {
  cell.shape = shape;
  cell.dim0 = shape.dims.empty() ? 0 : shape[0];
  cell.dim1 = shape.dims.size() < 2 ? 0 : shape[1];
}

// The axes beyond the first two, as text; "" if there are none.
std::string further_axes(const Shape& shape) {
  if (shape.dims.size() == 3) return fmt::format("k{}", shape[2]);
  if (shape.dims.size() == 4) return fmt::format("hd{}_nh{}", shape[3], shape[2]);
  return "";
}

bool is_tabular(const Shape& shape) { return shape.dims.size() >= 2 && shape.dims.size() <= 4; }

}  // namespace

std::string_view metric_name(GridMetric metric) {
  for (const auto& [known, name] : kMetrics) {
    if (known == metric) return name;
  }
  return "";
}

std::optional<GridMetric> find_metric(std::string_view name) {
  for (const auto& [metric, known] : kMetrics) {
    if (known == name) return metric;
  }
  return std::nullopt;
}

bool is_attention(std::string_view case_id) { return case_id.starts_with("attention"); }

bool is_unfused_provider(std::string_view provider) {
  return provider.find("eager") != std::string_view::npos ||
         provider.find("unfused") != std::string_view::npos;
}

std::optional<GridMean> geometric_mean(const RatioGrid& grid) {
  double logs = 0;
  std::size_t cells = 0;
  for (const GridCell& cell : grid.cells) {
    if (!cell.counts() || !(*cell.value > 0)) continue;
    logs += std::log(*cell.value);
    ++cells;
  }
  if (cells == 0) return std::nullopt;
  return GridMean{std::exp(logs / static_cast<double>(cells)), cells};
}

RatioGrid ratio_grid(const BenchRun& run, std::string_view case_id, DType dtype,
                     std::string_view baseline, std::string_view contender, GridMetric metric,
                     std::optional<TimeMode> mode) {
  const bool is_rate = metric == GridMetric::kBandwidth;
  RatioGrid grid = {.version = "",
                    .device = run.header.device,
                    .case_id = std::string(case_id),
                    .baseline = is_rate ? "" : std::string(baseline),
                    .contender = std::string(contender),
                    .metric = metric,
                    .dtype = std::string(dtype_name(dtype))};
  const CaseRecords records(run, case_id, dtype);
  for (const Shape& shape : records.shapes()) {
    const CellRecord* const ours = records.find(shape, contender);
    GridCell cell = is_rate ? rate_cell(ours, mode)
                            : ratio_cell(ours, records.find(shape, baseline), metric, mode);
    place(cell, shape);
    grid.cells.push_back(std::move(cell));
  }
  return grid;
}

RatioGrid device_grid(const BenchRun& run, const BenchRun& other, std::string_view case_id,
                      DType dtype, std::string_view provider, std::optional<TimeMode> mode) {
  RatioGrid grid = {.version = "",
                    .device = fmt::format("{}-{}", run.header.device, other.header.device),
                    .case_id = std::string(case_id),
                    .baseline = fmt::format("{}@{}", provider, other.header.device),
                    .contender = fmt::format("{}@{}", provider, run.header.device),
                    .metric = GridMetric::kDeviceSpeedup,
                    .dtype = std::string(dtype_name(dtype))};
  const CaseRecords ours(run, case_id, dtype);
  const CaseRecords theirs(other, case_id, dtype);
  for (const Shape& shape : ours.shapes()) {
    GridCell cell = ratio_cell(ours.find(shape, provider), theirs.find(shape, provider),
                               GridMetric::kDeviceSpeedup, mode);
    place(cell, shape);
    grid.cells.push_back(std::move(cell));
  }
  return grid;
}

std::vector<RatioGrid> tables_of(const RatioGrid& grid) {
  std::vector<RatioGrid> tables;
  const auto table_for = [&](const std::string& variant, bool is_list) -> RatioGrid& {
    for (RatioGrid& table : tables) {
      if (table.variant == variant && table.is_list == is_list) return table;
    }
    RatioGrid& table = tables.emplace_back(grid);
    table.cells.clear();
    table.variant = variant;
    table.is_list = is_list;
    return table;
  };
  for (const GridCell& cell : grid.cells) {
    const bool is_imported = cell.shape.dims.empty();
    const bool is_list = !is_imported && !is_tabular(cell.shape);
    RatioGrid& table = table_for(is_imported ? grid.variant : further_axes(cell.shape), is_list);
    GridCell& placed = table.cells.emplace_back(cell);
    if (is_list) {
      placed.dim0 = static_cast<std::int64_t>(table.cells.size());
      placed.dim1 = 0;
    }
  }
  return tables;
}

}  // namespace strobe::bench
