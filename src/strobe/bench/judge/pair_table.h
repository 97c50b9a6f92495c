#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"

// One case by two providers, shape by shape: how fast the contender is compared with the baseline,
// and which of these ratios can be trusted.
namespace strobe::bench {

enum class PairState : std::uint8_t {
  kRatio,
  kSameKernels,  // both sides ran the same kernels
  kWrong,        // a side computed wrong values: shown, never counted
  kOom,
  kOomPredicted,
  kError,     // includes time-outs
  kNotThere,  // unsupported, or never run
};
std::string_view state_name(PairState state);  // "ratio", "same_kernels", "oom_predicted"

struct PairCell {
  Shape shape;
  const CellRecord* baseline = nullptr;  // nullptr: the run has none
  const CellRecord* contender = nullptr;
  PairState state = PairState::kNotThere;
  std::optional<double> percent = {};  // 100 t_baseline / t_contender, of medians
  // From the 95 % intervals of both medians, so wider than 95 %; nothing if a side has none.
  std::optional<std::array<double, 2>> percent_interval = {};
  std::optional<double> ceiling_percent = {};  // the most that fusion alone can gain
  std::vector<CellFlag> flags = {};            // of either side and of the pair, each once
  std::vector<std::string> remarks = {};       // what a reader must know about the ratio
};

struct PairTable {
  std::vector<PairCell> cells;  // in execution order
  RatioGrid grid;               // the same as plain numbers, for checks of whole tables
};

struct PairQuestion {
  std::string_view case_id;
  DType dtype = DType::kF32;
  std::string_view baseline;
  std::string_view contender;
  std::optional<TimeMode> mode;  // nothing: each record's headline
};

// Its cells point into `run`.
PairTable pair_table(const BenchRun& run, const PairQuestion& question);

PairState state_of(const GridCell& cell);
// Above 1 the contender, or the selected device, is faster. Nothing for rates, which have no other
// side.
std::optional<double> gain_of(GridMetric metric, double value);

}  // namespace strobe::bench
