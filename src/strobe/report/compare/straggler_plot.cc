#include "strobe/report/compare/straggler_plot.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/report/compare/compare_numbers.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using compare::RankRow;
using compare::Stragglers;

constexpr double kLeft = 96;
constexpr double kRight = kPlotWidth - 300;
constexpr double kTop = 12;
constexpr double kRankRow = 26;
constexpr double kBarHeight = 16;

std::string mark_of(const RankRow& row) {
  if (row.is_slow) return ", slow";
  return row.is_late ? ", late" : "";
}

std::string wait_story(const RankRow& row) {
  if (row.times_last == 0) return "never last";
  return fmt::format("{}, last in {} of {}{}", time_text(row.others_waited_ms), row.times_last,
                     row.collectives, row.is_late ? ", late" : "");
}

// Draws the axis below the ranks; returns its scale.
Scale draw_frame(SvgPlot& plot, const Stragglers& stragglers, double most_ms,
                 std::string_view label) {
  const double bottom = kTop + kRankRow * static_cast<double>(stragglers.ranks.size());
  const Scale x = Scale::linear(0, most_ms, kLeft, kRight);
  plot.axis_below(x, bottom, kTop, label);
  return x;
}

double height_of(const Stragglers& stragglers) {
  return kTop + kRankRow * static_cast<double>(stragglers.ranks.size()) + 42;
}

}  // namespace

std::string rank_times_plot(const Stragglers& stragglers) {
  if (stragglers.ranks.empty()) return {};
  double most_ms = 0;
  for (const RankRow& row : stragglers.ranks) {
    most_ms = std::max(most_ms, row.own_ms + row.waiting_ms);
  }
  SvgPlot plot(kPlotWidth, height_of(stragglers), "own time and time in collectives of each rank");
  const Scale x = draw_frame(plot, stragglers, most_ms, "milliseconds per cycle, median");
  for (std::size_t i = 0; i < stragglers.ranks.size(); ++i) {
    const RankRow& row = stragglers.ranks[i];
    const double y = kTop + kRankRow * static_cast<double>(i) + (kRankRow - kBarHeight) / 2;
    const std::string title = fmt::format("rank {}: own time {}, in collectives {}", row.rank,
                                          time_text(row.own_ms), time_text(row.waiting_ms));
    plot.text(kLeft - 12, y + 12, fmt::format("rank {}", row.rank), Anchor::kEnd, "label", title);
    plot.rect(x.at(0), y, x.at(row.own_ms) - x.at(0), kBarHeight, "busy", title);
    plot.rect(x.at(row.own_ms), y, x.at(row.own_ms + row.waiting_ms) - x.at(row.own_ms), kBarHeight,
              "same", title);
    plot.text(
        kRight + 18, y + 12,
        fmt::format("{} + {}{}", time_text(row.own_ms), time_text(row.waiting_ms), mark_of(row)),
        Anchor::kStart, "tick");
  }
  return std::move(plot).svg();
}

std::string rank_waits_plot(const Stragglers& stragglers) {
  double most_ms = 0;
  for (const RankRow& row : stragglers.ranks) most_ms = std::max(most_ms, row.others_waited_ms);
  if (!(most_ms > 0)) return {};
  SvgPlot plot(kPlotWidth, height_of(stragglers), "how long the others waited for each rank");
  const Scale x =
      draw_frame(plot, stragglers, most_ms, "milliseconds, in all collectives together");
  for (std::size_t i = 0; i < stragglers.ranks.size(); ++i) {
    const RankRow& row = stragglers.ranks[i];
    const double y = kTop + kRankRow * static_cast<double>(i) + (kRankRow - kBarHeight) / 2;
    const std::string story = wait_story(row);
    plot.text(kLeft - 12, y + 12, fmt::format("rank {}", row.rank), Anchor::kEnd, "label", story);
    plot.rect(x.at(0), y, x.at(row.others_waited_ms) - x.at(0), kBarHeight, "busy", story);
    plot.text(kRight + 18, y + 12, story, Anchor::kStart, "tick");
  }
  return std::move(plot).svg();
}

}  // namespace strobe::report
