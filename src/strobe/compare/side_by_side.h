#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"

namespace strobe::compare {

struct ComparedTrace {
  const analysis::AttributedTrace& input;
  const std::vector<analysis::Step>& steps;
};

// A time per step: the average, smallest and largest step. For a whole trace all three are equal.
struct StepTime {
  double average_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
};

struct NameSide {
  double calls = 0;  // per step
  StepTime time;
};

// One name in both traces; a side that never ran it is absent.
struct NameRow {
  std::string name;
  std::optional<NameSide> base;
  std::optional<NameSide> other;
  // The two ranges do not overlap: a hint that the difference is more than noise, not a test.
  bool beyond_spread = false;

  double change_ns() const {
    return (other ? other->time.average_ns : 0) - (base ? base->time.average_ns : 0);
  }
};

struct Side {
  std::uint64_t steps = 0;
  std::uint64_t warm_up_steps = 0;  // of them: the first ones, which nothing below counts
  StepTime step;
  std::array<double, analysis::kStepLabels> label_ns = {};  // average per step
};

struct SideBySide {
  bool per_step =
      false;  // both have steps, warm-up left out; otherwise everything is for the whole traces
  Side base;
  Side other;
  std::vector<NameRow> operators;  // by their change, the largest first
  std::vector<NameRow> kernels;
};

SideBySide put_side_by_side(const ComparedTrace& base, const ComparedTrace& other);

}  // namespace strobe::compare
