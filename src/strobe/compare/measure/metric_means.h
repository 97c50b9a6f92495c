#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/compare/measure/time_parts.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/metric_series.h"

namespace strobe::compare {

// A period of time in which a metric is linear.
struct Piece {
  Interval interval;
  double value = 0;  // at its start
  double slope_per_ns = 0;
};

// A metric as a function of time: ascending, disjoint; unknown outside of the pieces.
using Signal = std::vector<Piece>;

// Interpolates the samples, in the unit of `info`, at the trace's times. A gauge is linear between
// samples and keeps its first and last value for two median periods. A window holds its value back
// to the previous sample, so the first one covers nothing. A counter is the window of its rate per
// second, with a gap where it was reset. Bits keep their value until the next sample: between two
// sets of bits there is none. Events have no signal.
Signal signal_of(const MetricSeries& series, const device::MetricInfo& info, std::int64_t shift_ns);

double median_period_ns(const MetricSeries& series);  // 0 with fewer than two samples

// Exact time-weighted means of metrics over periods of time, cycle by cycle.

// Several signals over cells of time; in each cell all of them are linear. A metric in a cell is a
// + b x, so its integral over any part of the cell follows from the part's length and the integral
// of x: the slices of a device are visited once, however many metrics it has.
class MetricGrid {
 public:
  MetricGrid(const std::vector<Signal>& signals, const TimeParts& cycles);

  const TimeParts& cells() const { return cells_; }
  std::size_t cycle_of(std::size_t cell) const { return cycle_of_[cell]; }
  std::size_t cycles() const { return cycles_; }
  std::size_t signals() const { return signals_; }

  // One signal in one cell, minus the signal's reference value in that cycle: constants then stay
  // exactly constant.
  struct Line {
    double value = 0;  // at the start of the cell; NaN: unknown there
    double slope_per_ns = 0;
  };
  const Line& line(std::size_t signal, std::size_t cell) const {
    return lines_[cell * signals_ + signal];
  }
  double reference(std::size_t signal, std::size_t cycle) const {
    return references_[cycle * signals_ + signal];
  }

 private:
  std::size_t signals_;
  std::size_t cycles_;
  TimeParts cells_;
  std::vector<std::size_t> cycle_of_;  // per cell
  std::vector<Line> lines_;            // per cell and signal
  std::vector<double> references_;     // per cycle and signal
};

struct CycleMeans {
  // Per cycle. NaN if less than half of the time is covered.
  std::vector<double> mean;
  std::vector<double> deviation;
  std::vector<double> coverage;  // NaN if there is no time to cover
};

// Sums up periods of time for many targets (functions), each with its own choice of signals.
class MetricSums {
 public:
  explicit MetricSums(const MetricGrid& grid) : grid_(&grid) {}

  std::size_t add_target(std::vector<std::size_t> signals);

  // In any order; fast if a target's periods follow each other. `near` caches the caller's last
  // cell.
  void add(std::size_t target, Interval stretch, std::size_t& near) {
    near = grid_->cells().first_after(stretch.start_ns, near);
    grid_->cells().for_each_piece(stretch, near, [&](std::size_t cell, Interval piece) {
      Pending& pending = pending_[target];
      if (pending.cell != cell) {
        settle(target);
        pending.cell = cell;
      }
      const std::int64_t origin_ns = grid_->cells()[cell].start_ns;
      const double from = static_cast<double>(piece.start_ns - origin_ns);
      const double to = static_cast<double>(piece.end_ns - origin_ns);
      pending.length += to - from;
      pending.moment += (to - from) * (from + to) / 2;
      pending.square += (to - from) * (from * from + from * to + to * to) / 3;
    });
  }

  // One per signal of the target, in order. Call it once.
  std::vector<CycleMeans> take_means(std::size_t target);

 private:
  // Sums in the current cell: integrals of 1, x and x^2, with x from the cell's start.
  struct Pending {
    std::size_t cell = SIZE_MAX;
    double length = 0;
    double moment = 0;
    double square = 0;
  };
  struct Target {
    std::vector<std::size_t> signals;
    std::vector<double> time_ns;    // per cycle
    std::vector<CycleMeans> means;  // integrals of v, v^2 and 1 until taken
  };
  void settle(std::size_t target);

  const MetricGrid* grid_;
  std::vector<Pending> pending_;
  std::vector<Target> targets_;
};

}  // namespace strobe::compare
