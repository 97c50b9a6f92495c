#include "strobe/report/kernels/roofline_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/report/kernels/kernel_numbers.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/format.h"
#include "strobe/report/render/svg_plot.h"

namespace strobe::report {
namespace {

using analysis::KernelStudy;
using analysis::Roof;
using analysis::Roofline;
using analysis::RooflinePoint;

// A grid of characters; row 0 is its lower edge.
class Sheet {
 public:
  Sheet(std::size_t width, std::size_t height) : lines_(height, std::string(width, ' ')) {}

  std::size_t width() const { return lines_.front().size(); }
  std::size_t height() const { return lines_.size(); }

  void put(std::size_t column, std::size_t row, char mark) {
    if (row < height() && column < width()) lines_[height() - 1 - row][column] = mark;
  }
  // As far right as there is room in the row; not at all if there is none.
  void write_at_right(std::size_t row, const std::string& text) {
    if (row >= height()) return;
    std::string& line = lines_[height() - 1 - row];
    // With a blank on both sides; the edge counts as one.
    const std::size_t at = (line + ' ').rfind(std::string(text.size() + 2, ' '));
    if (at != std::string::npos) line.replace(at + 1, text.size(), text);
  }
  void write(std::size_t column, std::size_t row, const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) put(column + i, row, text[i]);
  }

  // With the labels of the rows in front of an axis.
  std::vector<std::string> lines(const std::vector<std::string>& labels) const {
    std::size_t widest = 0;
    for (const std::string& label : labels) widest = std::max(widest, label.size());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < height(); ++i) {
      const std::string& label = labels[height() - 1 - i];
      out.push_back(
          fmt::format("{:>{}} {}{}", label, widest, label.empty() ? '|' : '+', lines_[i]));
    }
    return out;
  }

 private:
  std::vector<std::string> lines_;
};

// Maps values to cells of a sheet; values outside are mapped to the outermost cells.
struct Axis {
  double low = 0;
  double high = 1;
  std::size_t cells = 1;

  std::size_t at(double value) const {
    const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells - 1)));
  }
  double value(std::size_t cell) const {
    return low + (high - low) * static_cast<double>(cell) / static_cast<double>(cells - 1);
  }
};

bool stands_under_roofs(const RooflinePoint& point) {
  return point.flop_per_s && point.flop_per_byte && *point.flop_per_s > 0 &&
         *point.flop_per_byte > 0;
}

std::string short_number(double value) {
  if (value >= 1000) return fmt::format("{:g}k", value / 1000);
  return fmt::format("{:g}", value);
}

// Below a sheet: the axis, its ticks and what it means.
void append_axis_below(std::vector<std::string>& lines, std::size_t front, std::size_t width,
                       const std::vector<std::pair<std::size_t, std::string>>& ticks,
                       const std::string& meaning) {
  std::string axis(width, '-');
  std::string labels(front + 1 + width + 4, ' ');
  std::size_t free_from = 0;
  for (const auto& [cell, label] : ticks) {
    const std::size_t middle = front + 1 + cell;
    const std::size_t begin = middle - std::min(middle, label.size() / 2);
    if (begin < free_from || begin + label.size() > labels.size()) continue;
    axis[cell] = '+';
    labels.replace(begin, label.size(), label);
    free_from = begin + label.size() + 1;
  }
  lines.push_back(std::string(front, ' ') + '+' + axis);
  labels.erase(labels.find_last_not_of(' ') + 1);
  lines.push_back(labels);
  const std::size_t room = front + 1 + width;
  lines.push_back(std::string((room - std::min(room, meaning.size())) / 2 + front / 2, ' ') +
                  meaning);
}

// Powers of ten of a logarithmic axis; on a short axis also values between them.
std::vector<std::pair<std::size_t, std::string>> round_numbers(const Axis& axis) {
  std::vector<std::pair<std::size_t, std::string>> ticks;
  const bool is_short = axis.high - axis.low < 3;
  for (double power = std::floor(axis.low); power <= axis.high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double place = power + std::log10(factor);
      if (place < axis.low || place > axis.high || (factor != 1 && !is_short)) continue;
      ticks.emplace_back(axis.at(place), short_number(factor * std::pow(10, power)));
    }
  }
  return ticks;
}

struct Decades {
  double low = 0;
  double high = 0;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Ranges that show the roofs completely, then the points; both ends in logarithms.
void find_ranges(const Roofline& roofline, Decades& intensity, Decades& rate) {
  constexpr double kMostDecades = 6;  // a lower point is drawn on the lower edge
  const RooflinePoint* first = nullptr;
  for (const RooflinePoint& point : roofline.points) {
    if (first == nullptr && stands_under_roofs(point)) first = &point;
  }
  intensity.low = intensity.high = std::log10(*first->flop_per_byte);
  rate.low = rate.high = std::log10(*first->flop_per_s);
  if (roofline.ridge_flop_per_byte) {
    intensity.take(std::log10(*roofline.ridge_flop_per_byte) - 1);
    intensity.take(std::log10(*roofline.ridge_flop_per_byte) + 1);
  }
  for (const RooflinePoint& point : roofline.points) {
    if (!stands_under_roofs(point)) continue;
    intensity.take(std::log10(*point.flop_per_byte));
    rate.take(std::log10(*point.flop_per_s));
  }
  if (!roofline.compute.empty()) rate.take(std::log10(roofline.compute.front().value));
  intensity = {std::max(intensity.low - 0.1, intensity.high - kMostDecades - 2),
               intensity.high + 0.1};
  if (const Roof* dram = dram_roof(roofline)) rate.take(intensity.low + std::log10(dram->value));
  rate = {std::max(rate.low - 0.1, rate.high - kMostDecades), rate.high + 0.2};
}

void draw_roofs(Sheet& sheet, const Roofline& roofline, const Axis& x, const Axis& y) {
  const double top = roofline.compute.empty() ? y.high : std::log10(roofline.compute.front().value);
  const Roof* dram = dram_roof(roofline);
  for (const Roof& roof : roofline.memory) {
    const double bandwidth = std::log10(roof.value);
    for (std::size_t column = 0; column < sheet.width(); ++column) {
      const double rate = x.value(column) + bandwidth;
      if (rate > top || rate < y.low) continue;
      sheet.put(column, y.at(rate), &roof == dram ? '/' : ':');
    }
  }
  for (const Roof& roof : roofline.compute) {
    const double height = std::log10(roof.value);
    if (height < y.low) continue;
    for (std::size_t column = 0; column < sheet.width(); ++column) {
      if (dram != nullptr && x.value(column) + std::log10(dram->value) < height) continue;
      sheet.put(column, y.at(height), '-');
    }
  }
}

// Above their lines, where no line or point crosses them.
void name_roofs(Sheet& sheet, const Roofline& roofline, const Axis& y) {
  for (const Roof& roof : roofline.compute) {
    const double height = std::log10(roof.value);
    if (height < y.low) continue;
    sheet.write_at_right(y.at(height) + 1,
                         fmt::format("{} {}", roof.name(), flop_rate_text(roof.value)));
  }
}

void draw_points(Sheet& sheet, const Roofline& roofline, std::size_t lettered, const Axis& x,
                 const Axis& y) {
  for (std::size_t i = roofline.points.size(); i-- > 0;) {
    const RooflinePoint& point = roofline.points[i];
    if (!stands_under_roofs(point)) continue;
    sheet.put(x.at(std::log10(*point.flop_per_byte)), y.at(std::log10(*point.flop_per_s)),
              i < std::min(lettered, kMostLetters) ? letter_of(i) : 'o');
  }
}

std::string memory_legend(const Roofline& roofline) {
  std::vector<std::string> words;
  for (const Roof& roof : roofline.memory) {
    words.push_back(fmt::format("{} {} {}", &roof == dram_roof(roofline) ? "///" : ":::",
                                roof.name(), byte_rate_text(roof.value)));
  }
  return fmt::format("{}", fmt::join(words, "   "));
}

constexpr double kRooflineHeight = 520;
constexpr double kRooflineLeft = 76;
constexpr double kRooflineRight = kPlotWidth - 24;
constexpr double kRooflineTop = 30;
constexpr double kRooflineBottom = kRooflineHeight - 48;
constexpr double kLargestRadius = 42;
constexpr double kSmallestRadius = 2.5;
constexpr double kTera = 1e12;

double radius_of(const RooflinePoint& point, const Roofline& roofline) {
  const auto most =
      static_cast<double>(std::max<std::int64_t>(roofline.points.front().latency_ns, 1));
  return std::max(kSmallestRadius,
                  kLargestRadius * std::sqrt(static_cast<double>(point.latency_ns) / most));
}

std::string point_title(const RooflinePoint& point, const KernelStudy& study,
                        const RooflinePage& page) {
  const double share = static_cast<double>(point.latency_ns) /
                       static_cast<double>(std::max<std::int64_t>(study.totals.latency_ns, 1));
  std::string title = fmt::format(
      "{}: {}, {} ({} of all)", name_in(study.identities[point.identity], page.names),
      launches_text(point.launches), duration_text(point.latency_ns), percent_text(share));
  if (point.tensor_percent) title += "; Tensor " + percent_of_peak_text(point.tensor_percent);
  if (point.dram_percent) title += "; DRAM " + percent_of_peak_text(point.dram_percent);
  if (point.flop_per_s) {
    title += fmt::format("; {}{} at {}", flop_rate_text(point.flop_per_s),
                         point.flops_are_estimated ? " (estimated)" : "",
                         intensity_text(point.flop_per_byte));
  }
  return title;
}

// Large circles first, so that small ones stay reachable for the pointer.
void draw_point(SvgPlot& plot, double x, double y, std::size_t index, const KernelStudy& study,
                const RooflinePage& page) {
  const RooflinePoint& point = study.roofline.points[index];
  const double radius = radius_of(point, study.roofline);
  plot.circle(x, y, radius, "busy", point_title(point, study, page));
  const std::size_t lettered = page.top == 0 ? kMostLetters : std::min(page.top, kMostLetters);
  constexpr double kLetterRadius = 6;
  if (index < lettered && radius >= kLetterRadius) {
    plot.text(x, y + 4, std::string(1, letter_of(index)), Anchor::kMiddle, "cell");
  }
}

std::string rate_svg(const KernelStudy& study, const RooflinePage& page) {
  const Roofline& roofline = study.roofline;
  double low_x = roofline.ridge_flop_per_byte.value_or(1) / 10;
  double high_x = roofline.ridge_flop_per_byte.value_or(1) * 10;
  double high_y = 0;
  double low_y = std::numeric_limits<double>::infinity();
  for (const Roof& roof : roofline.compute) high_y = std::max(high_y, roof.value);
  for (const RooflinePoint& point : roofline.points) {
    if (!point.flop_per_s || !point.flop_per_byte || *point.flop_per_s <= 0) continue;
    low_x = std::min(low_x, *point.flop_per_byte);
    high_x = std::max(high_x, *point.flop_per_byte);
    low_y = std::min(low_y, *point.flop_per_s);
    high_y = std::max(high_y, *point.flop_per_s);
  }
  constexpr double kMostRange = 1e6;  // lower ones are drawn on the edge
  low_y = std::max(low_y / 1.5, high_y / kMostRange);
  low_x = std::max(low_x / 1.5, high_x / kMostRange / 100);
  SvgPlot plot(kPlotWidth, kRooflineHeight,
               "operations per second over operations per byte, with the roofs");
  const Scale x = Scale::logarithmic(low_x, high_x * 1.5, kRooflineLeft, kRooflineRight);
  const Scale y =
      Scale::logarithmic(low_y / kTera, high_y * 1.5 / kTera, kRooflineBottom, kRooflineTop);
  plot.axis_below(x, kRooflineBottom, kRooflineTop, "FLOP/byte");
  plot.axis_left(y, kRooflineLeft, kRooflineRight, "TFLOP/s");
  const double top = roofline.compute.empty() ? high_y : roofline.compute.front().value;
  for (const Roof& roof : roofline.memory) {
    const double from = std::max(low_x, low_y / roof.value);
    const double to = std::min(high_x * 1.5, top / roof.value);
    if (to <= from) continue;
    plot.line(x.at(from), y.at(from * roof.value / kTera), x.at(to), y.at(to * roof.value / kTera),
              "limit");
    plot.text(x.at(from) + 26, y.at(from * roof.value / kTera) + 2,
              fmt::format("{} {}", roof.name(), byte_rate_text(roof.value)), Anchor::kStart,
              "tick");
  }
  for (const Roof& roof : roofline.compute) {
    if (roof.value < low_y) continue;
    const Roof* dram = dram_roof(roofline);
    const double from = dram == nullptr ? low_x : std::max(low_x, roof.value / dram->value);
    plot.line(x.at(from), y.at(roof.value / kTera), kRooflineRight, y.at(roof.value / kTera),
              "limit");
    plot.text(kRooflineRight - 4, y.at(roof.value / kTera) - 5,
              fmt::format("{} {}", roof.name(), flop_rate_text(roof.value)), Anchor::kEnd, "tick");
  }
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (!point.flop_per_s || !point.flop_per_byte || *point.flop_per_s <= 0) continue;
    draw_point(plot, x.at(*point.flop_per_byte), y.at(*point.flop_per_s / kTera), i, study, page);
  }
  return std::move(plot).svg();
}

}  // namespace

char letter_of(std::size_t point) { return static_cast<char>('A' + point % kMostLetters); }

const Roof* dram_roof(const Roofline& roofline) {
  const auto found = std::ranges::find(roofline.memory, analysis::RoofKind::kDram, &Roof::kind);
  return found == roofline.memory.end() ? nullptr : &*found;
}

bool has_rates(const Roofline& roofline) {
  return std::ranges::any_of(roofline.points, stands_under_roofs);
}

std::vector<std::string> rate_picture(const Roofline& roofline, std::size_t lettered,
                                      std::size_t columns) {
  if (!has_rates(roofline)) return {};
  constexpr std::size_t kFront = 13;
  constexpr std::size_t kHeight = 22;
  Decades intensity;
  Decades rate;
  find_ranges(roofline, intensity, rate);
  const std::size_t width = std::clamp<std::size_t>(columns, 50, 120) - kFront - 4;
  const Axis x = {intensity.low, intensity.high, width};
  const Axis y = {rate.low, rate.high, kHeight};
  Sheet sheet(width, kHeight);
  draw_roofs(sheet, roofline, x, y);
  draw_points(sheet, roofline, lettered, x, y);
  name_roofs(sheet, roofline, y);
  std::vector<std::string> labels(kHeight);
  for (double power = std::ceil(y.low - 1e-9); power <= y.high; ++power) {
    labels[y.at(power)] = flop_rate_text(std::pow(10, power));
  }
  std::size_t front = 0;
  for (const std::string& label : labels) front = std::max(front, label.size());
  std::vector<std::string> lines = sheet.lines(labels);
  append_axis_below(lines, front + 1, width, round_numbers(x), "FLOP/byte");
  if (!roofline.memory.empty()) lines.push_back(memory_legend(roofline));
  return lines;
}

std::vector<std::string> share_picture(const Roofline& roofline, std::size_t lettered,
                                       std::size_t columns) {
  constexpr std::size_t kHeight = 21;
  const std::size_t width =
      std::clamp<std::size_t>(columns - std::min<std::size_t>(columns, 20), 41, 61);
  const Axis x = {0, 100, width};
  const Axis y = {0, 100, kHeight};
  Sheet sheet(width, kHeight);
  for (const double limit : {analysis::kLeaningPercent, analysis::kBoundPercent}) {
    for (std::size_t column = 0; column <= x.at(limit); ++column)
      sheet.put(column, y.at(limit), '.');
    for (std::size_t row = 0; row <= y.at(limit); ++row) sheet.put(x.at(limit), row, '.');
  }
  sheet.write(x.at(3), y.at(15), "latency-bound");
  sheet.write(x.at(3), y.at(45), "leaning");
  sheet.write(x.at(3), y.at(95), "tensor-bound");
  sheet.write(x.at(70), y.at(15), "dram-bound");
  bool has_points = false;
  for (std::size_t i = roofline.points.size(); i-- > 0;) {
    const RooflinePoint& point = roofline.points[i];
    if (!point.tensor_percent && !point.dram_percent) continue;
    has_points = true;
    sheet.put(x.at(point.dram_percent.value_or(0)), y.at(point.tensor_percent.value_or(0)),
              i < std::min(lettered, kMostLetters) ? letter_of(i) : 'o');
  }
  if (!has_points) return {};
  std::vector<std::string> labels(kHeight);
  for (int percent = 0; percent <= 100; percent += 20) {
    labels[y.at(percent)] = fmt::format("{} %{}", percent, percent == 100 ? " Tensor" : "");
  }
  std::size_t front = 0;
  for (const std::string& label : labels) front = std::max(front, label.size());
  std::vector<std::string> lines = sheet.lines(labels);
  std::vector<std::pair<std::size_t, std::string>> ticks;
  for (int percent = 0; percent <= 100; percent += 20) {
    ticks.emplace_back(x.at(percent), fmt::format("{} %", percent));
  }
  append_axis_below(lines, front + 1, width, ticks, "DRAM, of its peak rate");
  return lines;
}

std::string share_svg(const KernelStudy& study, const RooflinePage& page) {
  const bool has_shares = std::ranges::any_of(
      study.roofline.points,
      [](const RooflinePoint& point) { return point.tensor_percent || point.dram_percent; });
  if (!has_shares) return {};
  SvgPlot plot(kPlotWidth, kRooflineHeight, "share of the matrix pipe over share of DRAM");
  constexpr double kRoom = 44;  // circles at zero do not cover the labels
  const Scale x = Scale::linear(0, 100, kRooflineLeft + kRoom, kRooflineRight);
  const Scale y = Scale::linear(0, 100, kRooflineBottom - kRoom, kRooflineTop);
  plot.axis_below(x, kRooflineBottom, kRooflineTop, "DRAM, percent of its peak rate");
  plot.axis_left(y, kRooflineLeft, kRooflineRight, "Tensor, percent of the time busy");
  for (const double limit : {analysis::kLeaningPercent, analysis::kBoundPercent}) {
    plot.line(x.at(0), y.at(limit), x.at(limit), y.at(limit), "limit");
    plot.line(x.at(limit), y.at(0), x.at(limit), y.at(limit), "limit");
  }
  plot.text(x.at(analysis::kLeaningPercent) - 6, y.at(analysis::kLeaningPercent) + 16,
            "latency-bound", Anchor::kEnd, "tick");
  plot.text(x.at(analysis::kBoundPercent) - 6, y.at(analysis::kBoundPercent) + 16, "leaning",
            Anchor::kEnd, "tick");
  plot.text(kRooflineRight - 6, kRooflineTop + 16, "bound", Anchor::kEnd, "tick");
  for (std::size_t i = 0; i < study.roofline.points.size(); ++i) {
    const RooflinePoint& point = study.roofline.points[i];
    if (!point.tensor_percent && !point.dram_percent) continue;
    draw_point(plot, x.at(point.dram_percent.value_or(0)), y.at(point.tensor_percent.value_or(0)),
               i, study, page);
  }
  return std::move(plot).svg();
}

std::string roofline_html(const KernelStudy& study, const RooflinePage& page) {
  const bool rates = has_rates(study.roofline);
  const std::string caption =
      "One circle per kernel name; its area is the time of all its launches. Letters are those of "
      "the table below.";
  Document document = roofline_document(study, page);
  document.headline = rates ? "Under the roofs" : "Shares of the peaks";
  std::vector<Section> figures = {
      figure_section("Roofline", caption, rates ? rate_svg(study, page) : ""),
      figure_section("Shares of the peaks", caption, share_svg(study, page))};
  std::erase_if(figures, [](const Section& figure) { return figure.svg.empty(); });
  document.sections.insert(document.sections.begin(), figures.begin(), figures.end());
  return document_html(document);
}

}  // namespace strobe::report
