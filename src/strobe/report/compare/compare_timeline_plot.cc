#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "strobe/compare/measure/function_index.h"
#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/compare/compare_plots.h"
#include "strobe/report/compare/compare_verdict.h"
#include "strobe/report/compare/side_names.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::Comparison;
using compare::DeviceCycles;
using compare::RankMeasure;
using compare::SeriesCycles;
using compare::SideFacts;

constexpr double kTimelineGap = 84;
constexpr double kTimelineLeft = 62;
constexpr double kPanelWidth = (kPlotWidth - kTimelineLeft - kTimelineGap - 16) / 2;
constexpr double kClockTop = 44;
constexpr double kClockHeight = 110;
constexpr double kBusyHeight = 110;
constexpr double kBetween = 40;

// The data of one device of one rank for a picture.
struct Strip {
  const RankMeasure* rank = nullptr;
  const DeviceCycles* device = nullptr;
  const SeriesCycles* clock = nullptr;  // null: not sampled
  std::string_view label;
};

std::int64_t busy_of(const DeviceCycles& device) {
  return std::accumulate(device.busy_ns.begin(), device.busy_ns.end(), std::int64_t{0});
}

std::string busiest_device(const Comparison& comparison) {
  std::map<std::string, std::int64_t> busy_ns;
  for (const SideFacts* side : {&comparison.normal, &comparison.abnormal}) {
    if (side->ranks.empty()) return {};
    for (const DeviceCycles& device : side->ranks.front().devices) {
      if (device.device != compare::kHostDevice) busy_ns[device.device] += busy_of(device);
    }
  }
  const auto most =
      std::ranges::max_element(busy_ns, {}, [](const auto& device) { return device.second; });
  return most == busy_ns.end() ? std::string() : most->first;
}

Strip strip_of(const SideFacts& side, const std::string& device, std::string_view label) {
  Strip strip;
  strip.rank = &side.ranks.front();
  strip.label = label;
  for (const DeviceCycles& own : strip.rank->devices) {
    if (own.device == device) strip.device = &own;
  }
  for (const SeriesCycles& series : strip.rank->series) {
    if (series.device == device && series.info.role == device::MetricRole::kCoreClock) {
      strip.clock = &series;
      break;
    }
  }
  return strip;
}

double clock_at(const Strip& strip, std::size_t cycle) {
  const std::vector<double>& busy = strip.clock->busy_mean;
  const std::vector<double>& mean = strip.clock->mean;
  if (cycle < busy.size() && std::isfinite(busy[cycle])) return busy[cycle];
  return cycle < mean.size() ? mean[cycle] : std::numeric_limits<double>::quiet_NaN();
}

double share_at(const Strip& strip, std::size_t cycle) {
  const auto length = static_cast<double>(strip.rank->cycles.cycles[cycle].interval.length_ns());
  if (strip.device == nullptr || length <= 0) return 0;
  return 100 * static_cast<double>(strip.device->busy_ns[cycle]) / length;
}

struct Frame {
  Scale x;
  std::int64_t origin_ns;
  double from(const Interval& interval) const { return x.at(seconds(interval.start_ns)); }
  double to(const Interval& interval) const { return x.at(seconds(interval.end_ns)); }
  double seconds(std::int64_t time_ns) const {
    return static_cast<double>(time_ns - origin_ns) / 1e9;
  }
};

Frame frame_of(const Strip& strip, double left) {
  const auto& cycles = strip.rank->cycles.cycles;
  const std::int64_t origin = cycles.front().interval.start_ns;
  const double length = static_cast<double>(cycles.back().interval.end_ns - origin) / 1e9;
  return {Scale::linear(0, length, left, left + kPanelWidth), origin};
}

void draw_clock(SvgPlot& plot, const Strip& strip, const Frame& frame, const Scale& y) {
  std::vector<std::pair<double, double>> line;
  const auto& cycles = strip.rank->cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double clock = clock_at(strip, i);
    if (!std::isfinite(clock)) {
      plot.polyline(line, "clock");
      line.clear();
      continue;
    }
    line.emplace_back(frame.from(cycles[i].interval), y.at(clock));
    line.emplace_back(frame.to(cycles[i].interval), y.at(clock));
  }
  plot.polyline(line, "clock");
}

void draw_busy(SvgPlot& plot, const Strip& strip, const Frame& frame, const Scale& y) {
  const auto& cycles = strip.rank->cycles.cycles;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double share = share_at(strip, i);
    const double left = frame.from(cycles[i].interval);
    const double right = frame.to(cycles[i].interval);
    const bool is_partial = strip.device != nullptr && i < strip.device->is_partial.size() &&
                            strip.device->is_partial[i];
    plot.rect(
        left + 0.5, y.at(share), right - left - 1, y.from_px() - y.at(share),
        is_partial ? "busy partial" : "busy",
        fmt::format(
            "{}, {}: busy {}{}{}", strip.label, cycles[i].name, quantity_text(share, "%"),
            strip.clock == nullptr ? "" : ", clock " + quantity_text(clock_at(strip, i), "MHz"),
            is_partial ? ", partial: left out of the statistics" : ""));
    plot.line(left, kClockTop, left, y.from_px(), "cycle");
  }
}

}  // namespace

std::string timeline_plot(const Comparison& comparison) {
  const std::string device = busiest_device(comparison);
  if (device.empty()) return {};
  const SideNames names = side_names(comparison);
  const Strip strips[] = {strip_of(comparison.normal, device, names.normal),
                          strip_of(comparison.abnormal, device, names.abnormal)};
  double low_clock = std::numeric_limits<double>::infinity();
  double high_clock = 0;
  double most_share = 0;
  bool has_clock = false;
  for (const Strip& strip : strips) {
    if (strip.rank->cycles.cycles.empty()) return {};
    for (std::size_t i = 0; i < strip.rank->cycles.cycles.size(); ++i) {
      most_share = std::max(most_share, share_at(strip, i));
      if (strip.clock == nullptr || !std::isfinite(clock_at(strip, i))) continue;
      has_clock = true;
      low_clock = std::min(low_clock, clock_at(strip, i));
      high_clock = std::max(high_clock, clock_at(strip, i));
    }
  }
  const double busy_top = has_clock ? kClockTop + kClockHeight + kBetween : kClockTop;
  const double bottom = busy_top + kBusyHeight;
  SvgPlot plot(kPlotWidth, bottom + 42, fmt::format("{} cycle by cycle in both runs", device));
  const Scale busy_y = Scale::linear(0, most_share > 60 ? 100 : most_share, bottom, busy_top);
  const Scale clock_y =
      Scale::linear(has_clock ? std::min(low_clock, high_clock * 0.75) : 0,
                    has_clock ? high_clock : 1, kClockTop + kClockHeight, kClockTop);
  double left = kTimelineLeft;
  for (const Strip& strip : strips) {
    const Frame frame = frame_of(strip, left);
    const double right = left + kPanelWidth;
    plot.text(left, 16,
              has_ranks(comparison)
                  ? fmt::format("{} ({} of rank {})", strip.label, device, strip.rank->rank)
                  : fmt::format("{} ({})", strip.label, device),
              Anchor::kStart, "heading");
    plot.axis_below(frame.x, bottom, kClockTop, "seconds since the first cycle; one bar per cycle");
    plot.axis_left(busy_y, left, right, "busy, % of the cycle", 4);
    draw_busy(plot, strip, frame, busy_y);
    if (has_clock) {
      plot.axis_left(clock_y, left, right, "clock while busy, MHz", 4);
      if (strip.clock != nullptr) draw_clock(plot, strip, frame, clock_y);
    }
    left = right + kTimelineGap;
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
