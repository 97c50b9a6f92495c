#include "strobe/report/render/svg_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/report/render/html_page.h"

namespace strobe::report {
namespace {

// 1, 2 or 5 times a power of ten, the first that is not less than `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string tick_label(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return with_commas(fmt::format("{:.{}f}", std::abs(value) < step / 2 ? 0 : value, decimals));
}

std::string_view anchor_word(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
  }
  return "";
}

}  // namespace

Scale Scale::linear(double low, double high, double from_px, double to_px) {
  if (!(high > low)) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.05;
    low -= room;
    high = low + 2 * room;
  }
  const double step = round_step((high - low) / 6);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, from_px,
          to_px, false};
}

Scale Scale::logarithmic(double low, double high, double from_px, double to_px) {
  if (!(high > low)) high = low;
  return {low / 1.15, high * 1.15, from_px, to_px, true};
}

double Scale::at(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double share =
      is_log_ ? std::log(inside / low_) / std::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return from_px_ + share * (to_px_ - from_px_);
}

std::vector<Tick> Scale::ticks(std::size_t about) const {
  std::vector<Tick> ticks;
  if (is_log_) {
    const double decades = std::log10(high_ / low_);
    for (double power = std::pow(10.0, std::floor(std::log10(low_))); power <= high_; power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * power;
        if (value < low_ || value > high_ || (factor != 1 && decades > 3)) continue;
        ticks.push_back({value, fmt::format("{:g}", value)});
      }
    }
    return ticks;
  }
  const double step =
      round_step((high_ - low_) / static_cast<double>(std::max<std::size_t>(about, 1)));
  for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + step * 1e-9; ++k) {
    ticks.push_back({k * step, tick_label(k * step, step)});
  }
  return ticks;
}

SvgPlot::SvgPlot(double width, double height, std::string_view label) {
  out_ = fmt::format(
      "<svg viewBox=\"0 0 {:g} {:g}\" width=\"{:g}\" height=\"{:g}\" role=\"img\" "
      "aria-label=\"{}\">\n",
      width, height, width, height, html_text(label));
}

void SvgPlot::close(std::string_view element, std::string_view title) {
  if (title.empty()) {
    out_ += "/>\n";
  } else {
    out_ += fmt::format("><title>{}</title></{}>\n", html_text(title), element);
  }
}

void SvgPlot::line(double x1, double y1, double x2, double y2, std::string_view css) {
  out_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, css);
}

void SvgPlot::rect(double x, double y, double width, double height, std::string_view css,
                   std::string_view title) {
  out_ +=
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"",
                  x, y, std::max(width, 0.0), std::max(height, 0.0), css);
  close("rect", title);
}

void SvgPlot::circle(double x, double y, double radius, std::string_view css,
                     std::string_view title) {
  out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"", x, y, radius,
                      css);
  close("circle", title);
}

void SvgPlot::diamond(double x, double y, double radius, std::string_view css,
                      std::string_view title) {
  out_ += fmt::format(
      "<path d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}z\" class=\"{}\"", x,
      y - radius, radius, radius, -radius, radius, -radius, -radius, css);
  close("path", title);
}

void SvgPlot::polyline(const std::vector<std::pair<double, double>>& points, std::string_view css) {
  if (points.empty()) return;
  out_ += "<polyline points=\"";
  for (const auto& [x, y] : points) out_ += fmt::format("{:.1f},{:.1f} ", x, y);
  out_.back() = '"';
  out_ += fmt::format(" class=\"{}\"/>\n", css);
}

void SvgPlot::text(double x, double y, std::string_view text, Anchor anchor, std::string_view css,
                   std::string_view title) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">", x, y,
                      anchor_word(anchor), css);
  if (!title.empty()) out_ += fmt::format("<title>{}</title>", html_text(title));
  out_ += html_text(text) + "</text>\n";
}

void SvgPlot::axis_below(const Scale& scale, double y, double top, std::string_view label) {
  for (const Tick& tick : scale.ticks()) {
    const double x = scale.at(tick.value);
    line(x, top, x, y, "grid");
    text(x, y + 16, tick.label, Anchor::kMiddle, "tick");
  }
  line(scale.from_px(), y, scale.to_px(), y, "axis");
  text((scale.from_px() + scale.to_px()) / 2, y + 34, label, Anchor::kMiddle, "label");
}

void SvgPlot::axis_left(const Scale& scale, double x, double right, std::string_view label,
                        std::size_t about) {
  for (const Tick& tick : scale.ticks(about)) {
    const double y = scale.at(tick.value);
    line(x, y, right, y, "grid");
    text(x - 6, y + 4, tick.label, Anchor::kEnd, "tick");
  }
  line(x, scale.from_px(), x, scale.to_px(), "axis");
  text(x, std::min(scale.from_px(), scale.to_px()) - 8, label, Anchor::kStart, "label");
}

std::string SvgPlot::svg() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace strobe::report
