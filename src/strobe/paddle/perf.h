#pragma once

#include <string>
#include <vector>

// The benchmark timer's table. The framework fills it from its training loop; a trace only has the
// start times of its steps, and no cost of the data reader.
namespace strobe::paddle {

struct PerfFigures {
  double average = 0;
  double max = 0;
  double min = 0;
};

struct PerfSummary {
  PerfFigures batch_cost_s;
  PerfFigures steps_per_s;
};

// Like the framework's timer: with more than ten steps the first nine are warm-up, the average
// divides by one less than was recorded, and a record that sets the maximum never sets the minimum.
// With ten or fewer every step counts and the figures are plain.
PerfSummary perf_summary(const std::vector<double>& step_costs_s);

std::string perf_text(const PerfSummary& perf, const std::string& caption);

}  // namespace strobe::paddle
