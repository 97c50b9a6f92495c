#include "strobe/bench/judge/pair_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/judge/kernel_signature.h"

namespace strobe::bench {
namespace {

constexpr double kAboveCeiling = 1.03;  // timing noise and saved launches stay below this

PairState state_of_status(CellStatus status) {
  switch (status) {
    case CellStatus::kOk:
      return PairState::kRatio;
    case CellStatus::kWrong:
      return PairState::kWrong;
    case CellStatus::kOom:
      return PairState::kOom;
    case CellStatus::kOomPredicted:
      return PairState::kOomPredicted;
    case CellStatus::kError:
    case CellStatus::kTimeout:
      return PairState::kError;
    case CellStatus::kUnsupported:
    case CellStatus::kMissing:
      return PairState::kNotThere;
  }
  return PairState::kNotThere;
}

// If the two sides differ, the state further away from a time wins.
PairState state_of_sides(const CellRecord* baseline, const CellRecord* contender) {
  if (baseline == nullptr || contender == nullptr) return PairState::kNotThere;
  const PairState a = state_of_status(baseline->status);
  const PairState b = state_of_status(contender->status);
  return std::max(a, b);
}

// A copy without times, which are large and not needed to compare a pair.
CellRecord without_times(const CellRecord& record) {
  CellRecord copy;
  copy.cell = record.cell;
  copy.status = record.status;
  copy.kernels = record.kernels;
  copy.signature = record.signature;
  copy.flags = record.flags;
  return copy;
}

bool has_spread(const TimeSummary& time) {
  return time.n > 1 && time.ci95[0] > 0 && time.ci95[1] >= time.ci95[0];
}

void set_ratio(PairCell& cell, std::optional<TimeMode> mode) {
  const TimeSummary* baseline = time_of(*cell.baseline, mode);
  const TimeSummary* contender = time_of(*cell.contender, mode);
  const auto is_usable = [](const TimeSummary* time) {
    return time != nullptr && std::isfinite(time->p50) && time->p50 > 0;
  };
  if (!is_usable(baseline) || !is_usable(contender)) {
    cell.state = PairState::kNotThere;
    cell.remarks.push_back("one side was not timed this way");
    return;
  }
  cell.percent = 100 * baseline->p50 / contender->p50;
  if (has_spread(*baseline) && has_spread(*contender)) {
    cell.percent_interval = {100 * baseline->ci95[0] / contender->ci95[1],
                             100 * baseline->ci95[1] / contender->ci95[0]};
  }
}

void note_ceiling(PairCell& cell) {
  // If the matrix pipe may be the limit, bytes say little about what fusion gains.
  if (cell.contender->is_of_products()) return;
  const ByteCounts& bytes = cell.contender->bytes;
  if (!(bytes.min > 0) || !(bytes.unfused >= bytes.min)) return;
  cell.ceiling_percent = 100 * bytes.unfused / bytes.min;
  if (cell.percent && *cell.percent > kAboveCeiling * *cell.ceiling_percent) {
    cell.remarks.push_back(
        fmt::format("above the fusion ceiling of {:.0f} %: the baseline runs below the memory roof "
                    "or waits for its launches",
                    *cell.ceiling_percent));
  }
}

bool is_of_pair(CellFlag flag) {
  return flag == CellFlag::kSameKernels || flag == CellFlag::kFellBack ||
         flag == CellFlag::kMathDiffers;
}

// Flags of a pair in the record may come from another pair, so they are computed again, unless one
// side does not list its kernels.
void judge(PairCell& cell) {
  CellRecord contender = without_times(*cell.contender);
  if (!cell.baseline->kernels.empty() && !contender.kernels.empty()) {
    std::erase_if(contender.flags, is_of_pair);
  }
  judge_pair(*cell.baseline, contender);
  for (const CellFlag flag : cell.baseline->flags) {
    if (!is_of_pair(flag)) contender.set(flag);
  }
  cell.flags = contender.flags;
  if (const std::string maths = math_difference(*cell.baseline, *cell.contender); !maths.empty()) {
    cell.remarks.push_back("the two sides compute in different precisions: " + maths);
  }
}

GridCell as_number(const PairCell& cell) {
  GridCell number;
  number.shape = cell.shape;
  number.dim0 = cell.shape.dims.empty() ? 0 : cell.shape[0];
  number.dim1 = cell.shape.dims.size() < 2 ? 0 : cell.shape[1];
  number.value = cell.percent;
  number.ci95 = cell.percent_interval;
  number.ran_same_kernels = cell.state == PairState::kSameKernels;
  number.status = !cell.percent                     ? CellStatus::kMissing
                  : cell.state == PairState::kWrong ? CellStatus::kWrong
                                                    : CellStatus::kOk;
  return number;
}

PairCell judged(const Shape& shape, const CellRecord* baseline, const CellRecord* contender,
                std::optional<TimeMode> mode) {
  PairCell cell{.shape = shape, .baseline = baseline, .contender = contender};
  cell.state = state_of_sides(baseline, contender);
  if (cell.state != PairState::kRatio && cell.state != PairState::kWrong) return cell;
  set_ratio(cell, mode);
  if (!cell.percent) return cell;
  judge(cell);
  if (cell.state == PairState::kWrong) return cell;
  const bool is_same = std::ranges::find(cell.flags, CellFlag::kSameKernels) != cell.flags.end();
  if (is_same) {
    cell.state = PairState::kSameKernels;
  } else {
    note_ceiling(cell);
  }
  return cell;
}

}  // namespace

std::string_view state_name(PairState state) {
  switch (state) {
    case PairState::kRatio:
      return "ratio";
    case PairState::kSameKernels:
      return "same_kernels";
    case PairState::kWrong:
      return "wrong";
    case PairState::kOom:
      return "oom";
    case PairState::kOomPredicted:
      return "oom_predicted";
    case PairState::kError:
      return "error";
    case PairState::kNotThere:
      return "not_there";
  }
  return "";
}

PairState state_of(const GridCell& cell) {
  if (cell.status == CellStatus::kOk && !cell.value) return PairState::kNotThere;
  return cell.ran_same_kernels ? PairState::kSameKernels : state_of_status(cell.status);
}

PairTable pair_table(const BenchRun& run, const PairQuestion& question) {
  struct Sides {
    const CellRecord* baseline = nullptr;
    const CellRecord* contender = nullptr;
  };
  std::vector<Shape> order;
  std::map<Shape, Sides> by_shape;
  for (const CellRecord& record : run.cells) {
    const Cell& cell = record.cell;
    if (cell.case_id != question.case_id || cell.dtype != question.dtype) continue;
    const bool is_baseline = cell.provider == question.baseline;
    const bool is_contender = cell.provider == question.contender;
    if (!is_baseline && !is_contender) continue;
    const auto [place, is_new] = by_shape.try_emplace(cell.shape);
    if (is_new) order.push_back(cell.shape);
    if (is_baseline) place->second.baseline = &record;
    if (is_contender) place->second.contender = &record;
  }
  PairTable table;
  table.grid = {.version = "",
                .device = run.header.device,
                .case_id = std::string(question.case_id),
                .baseline = std::string(question.baseline),
                .contender = std::string(question.contender),
                .metric = GridMetric::kRelativePerformance,
                .dtype = std::string(dtype_name(question.dtype))};
  for (const Shape& shape : order) {
    const Sides& sides = by_shape[shape];
    table.cells.push_back(judged(shape, sides.baseline, sides.contender, question.mode));
    table.grid.cells.push_back(as_number(table.cells.back()));
  }
  return table;
}

std::optional<double> gain_of(GridMetric metric, double value) {
  if (!std::isfinite(value) || value <= 0) return {};
  switch (metric) {
    case GridMetric::kRelativeOverhead:
      return 1 / value;
    case GridMetric::kRelativePerformance:
    case GridMetric::kDeviceSpeedup:
      return value / 100;
    case GridMetric::kBandwidth:
      return {};
  }
  return {};
}

}  // namespace strobe::bench
