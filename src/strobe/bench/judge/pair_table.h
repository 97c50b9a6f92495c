#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/bench/results/cell_record.h"
#include "strobe/bench/results/ratio_grid.h"

// One case by two providers, shape by shape: how fast the contender is against the baseline, and
// which of these ratios may be believed.
namespace strobe::bench {

enum class PairState : std::uint8_t {
  kRatio,
  kSameKernels,  // a ratio of a thing with itself
  kWrong,        // a side computed other values: shown, never counted
  kOom,
  kOomPredicted,
  kError,     // a time-out too
  kNotThere,  // unsupported, or never run
};
std::string_view state_name(PairState state);  // "ratio", "same_kernels", "oom_predicted"

struct PairCell {
  Shape shape;
  const CellRecord* baseline = nullptr;  // nullptr: the run has none
  const CellRecord* contender = nullptr;
  PairState state = PairState::kNotThere;
  std::optional<double> percent = {};  // 100 t_baseline / t_contender, of medians
  // From the 95 % intervals of both medians, so wider than 95 %; nothing where a side has none.
  std::optional<std::array<double, 2>> percent_interval = {};
  std::optional<double> ceiling_percent = {};  // what fusion alone can win
  std::vector<CellFlag> flags = {};            // of either side and of the pair, each once
  std::vector<std::string> remarks = {};       // what a reader must know to read the ratio
};

struct PairTable {
  std::vector<PairCell> cells;  // in the order in which they ran
  RatioGrid grid;               // the same as numbers alone, for what judges tables
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
// Above 1 the contender, or the device that was asked about, is faster. Nothing for rates: there is
// nobody to compare with.
std::optional<double> gain_of(GridMetric metric, double value);

}  // namespace strobe::bench
