#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Pictures as SVG inside an HTML page: colours come from the page's style sheet by class, and every
// mark has its own shape, so that nothing depends on colour alone.
namespace strobe::report {

struct Tick {
  double value = 0;
  std::string label;
};

// Maps values of a quantity to pixels. Values outside are drawn at the border.
class Scale {
 public:
  // Both ends are moved outwards to round numbers.
  static Scale linear(double low, double high, double from_px, double to_px);
  // low > 0.
  static Scale logarithmic(double low, double high, double from_px, double to_px);

  double at(double value) const;
  std::vector<Tick> ticks(std::size_t about = 6) const;
  double from_px() const { return from_px_; }
  double to_px() const { return to_px_; }

 private:
  Scale(double low, double high, double from_px, double to_px, bool is_log)
      : low_(low), high_(high), from_px_(from_px), to_px_(to_px), is_log_(is_log) {}

  double low_;
  double high_;
  double from_px_;
  double to_px_;
  bool is_log_;
};

inline constexpr double kPlotWidth = 1080;  // for every picture on a page

enum class Anchor { kStart, kMiddle, kEnd };

class SvgPlot {
 public:
  // `label` is for screen readers.
  SvgPlot(double width, double height, std::string_view label);

  void line(double x1, double y1, double x2, double y2, std::string_view css);
  void rect(double x, double y, double width, double height, std::string_view css,
            std::string_view title = {});
  void circle(double x, double y, double radius, std::string_view css, std::string_view title = {});
  void diamond(double x, double y, double radius, std::string_view css,
               std::string_view title = {});
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view css);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart,
            std::string_view css = {}, std::string_view title = {});

  // An axis below, with grid lines up to `top`; one on the left, with grid lines to `right`.
  void axis_below(const Scale& scale, double y, double top, std::string_view label);
  void axis_left(const Scale& scale, double x, double right, std::string_view label,
                 std::size_t about = 5);

  std::string svg() &&;

 private:
  void close(std::string_view element, std::string_view title);

  std::string out_;
};

}  // namespace strobe::report
