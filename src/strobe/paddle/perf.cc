#include "strobe/paddle/perf.h"

#include <algorithm>
#include <limits>

#include "strobe/base/text.h"
#include "strobe/paddle/tables.h"
#include "strobe/paddle/text_table.h"

namespace strobe::paddle {
namespace {

constexpr std::size_t kTimerWarmUp = 9;
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kCellWidth = 15;

// As in the framework's timer: one comparison decides per record.
void add_timer_record(PerfFigures& figures, double value) {
  if (value > figures.max) {
    figures.max = value;
  } else if (value < figures.min) {
    figures.min = value;
  }
}

std::string centred(std::string_view text) {
  const std::size_t length = code_points(text);
  if (length >= kCellWidth) return std::string(text);
  const std::size_t pad = kCellWidth - length;
  const std::size_t left = pad - pad / 2;
  return std::string(left, ' ') + std::string(text) + std::string(pad - left, ' ');
}

std::string perf_row(std::string_view name, std::string_view a, std::string_view b,
                     std::string_view c) {
  return "| " + centred(name) + " | " + centred(a) + " | " + centred(b) + " | " + centred(c) +
         " |\n";
}
std::string perf_row(std::string_view name, const PerfFigures& figures) {
  return perf_row(name, fixed(figures.average, 5), fixed(figures.max, 5), fixed(figures.min, 5));
}

}  // namespace

PerfSummary perf_summary(const std::vector<double>& step_costs_s) {
  const bool as_timer = step_costs_s.size() > kTimerWarmUp + 1;
  PerfSummary perf;
  perf.batch_cost_s.min = perf.steps_per_s.min = std::numeric_limits<double>::infinity();
  double sum_s = 0;
  for (std::size_t i = as_timer ? kTimerWarmUp : 0; i < step_costs_s.size(); ++i) {
    const double cost_s = step_costs_s[i];
    const double speed = 1 / cost_s;
    sum_s += cost_s;
    if (as_timer) {
      add_timer_record(perf.batch_cost_s, cost_s);
      add_timer_record(perf.steps_per_s, speed);
    } else {
      perf.batch_cost_s.max = std::max(perf.batch_cost_s.max, cost_s);
      perf.batch_cost_s.min = std::min(perf.batch_cost_s.min, cost_s);
      perf.steps_per_s.max = std::max(perf.steps_per_s.max, speed);
      perf.steps_per_s.min = std::min(perf.steps_per_s.min, speed);
    }
  }
  const std::size_t divisor =
      as_timer ? step_costs_s.size() - kTimerWarmUp - 1 : step_costs_s.size();
  perf.batch_cost_s.average = sum_s / static_cast<double>(divisor);
  perf.steps_per_s.average = static_cast<double>(divisor) / sum_s;
  return perf;
}

std::string perf_text(const PerfSummary& perf, const std::string& caption) {
  constexpr std::string_view kTitle = "Perf Summary";
  const std::string side((kLineWidth - kTitle.size()) / 2, '=');
  std::string out = side + std::string(kTitle) + side + "\n";
  if (!caption.empty()) out += caption + "\n";
  out += "Time Unit: s, IPS Unit: steps/s\n";
  out += perf_row("", "avg", "max", "min");
  out += perf_row("batch_cost", perf.batch_cost_s);
  out += perf_row("ips", perf.steps_per_s);
  return out;
}

std::string perf_table(const TableInput& input) {
  const auto& steps = input.summary.steps;
  if (steps.empty()) return "";
  std::vector<double> costs_s;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t cost_ns = i + 1 < steps.size()
                                     ? steps[i + 1].interval.start_ns - steps[i].interval.start_ns
                                     : steps[i].interval.length_ns();
    costs_s.push_back(static_cast<double>(cost_ns) / 1e9);
  }
  const std::string count = std::to_string(steps.size());
  const std::string caption =
      costs_s.size() > kTimerWarmUp + 1
          ? "From the starts of the " + count + " recorded steps, without the first " +
                std::to_string(kTimerWarmUp)
          : "From the starts of all " + count + " recorded steps (too few to leave a warm-up out)";
  return perf_text(perf_summary(costs_s), caption);
}

}  // namespace strobe::paddle
