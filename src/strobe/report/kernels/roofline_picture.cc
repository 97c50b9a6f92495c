#include "strobe/report/kernels/roofline_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/analysis/headroom/kernel_bound.h"
#include "strobe/report/kernels/kernel_numbers.h"

namespace strobe::report {
namespace {

using analysis::Roof;
using analysis::Roofline;
using analysis::RooflinePoint;

// A sheet of characters; row 0 is its lower edge.
class Sheet {
 public:
  Sheet(std::size_t width, std::size_t height) : lines_(height, std::string(width, ' ')) {}

  std::size_t width() const { return lines_.front().size(); }
  std::size_t height() const { return lines_.size(); }

  void put(std::size_t column, std::size_t row, char mark) {
    if (row < height() && column < width()) lines_[height() - 1 - row][column] = mark;
  }
  // As far right as the row has room for it, or nowhere.
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

// Values onto cells of a sheet, the outermost ones for all that lies outside.
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

// Powers of ten of an axis that is a logarithm, and on a short one what lies between.
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

// What the roofs need to be seen whole, and then the points; both ends in logarithms.
void find_ranges(const Roofline& roofline, Decades& intensity, Decades& rate) {
  constexpr double kMostDecades = 6;  // a point further down stands on the lower edge
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

// Above their lines, where no line and no point runs through them.
void name_roofs(Sheet& sheet, const Roofline& roofline, const Axis& y) {
  for (const Roof& roof : roofline.compute) {
    const double height = std::log10(roof.value);
    if (height < y.low) continue;
    sheet.write_at_right(y.at(height) + 1,
                         fmt::format("{} {}", roof.name, flop_rate_text(roof.value)));
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
    words.push_back(fmt::format("{} {} {}", &roof == dram_roof(roofline) ? "///" : ":::", roof.name,
                                byte_rate_text(roof.value)));
  }
  return fmt::format("{}", fmt::join(words, "   "));
}

}  // namespace

char letter_of(std::size_t point) { return static_cast<char>('A' + point % kMostLetters); }

const Roof* dram_roof(const Roofline& roofline) {
  const auto found = std::ranges::find(roofline.memory, "DRAM", &Roof::name);
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

}  // namespace strobe::report
