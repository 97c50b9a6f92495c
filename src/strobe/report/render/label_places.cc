#include "strobe/report/render/label_places.h"

#include <algorithm>

namespace strobe::report {
namespace {

constexpr double kDigitWidth = 7;   // of a tick label
constexpr double kDigitHeight = 9;  // above its baseline
constexpr double kLabelledRadius = 6;
constexpr double kLabelGap = 2;

struct LabelBox {
  double left;
  double top;
  double right;
  double bottom;

  bool meets(const LabelBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool contains(const LabelBox& other) const {
    return left <= other.left && top <= other.top && other.right <= right && other.bottom <= bottom;
  }
};

LabelBox box_around(PlotPoint middle, double half_width, double half_height) {
  return {middle.x - half_width, middle.y - half_height, middle.x + half_width,
          middle.y + half_height};
}

// Above on the right first, where a reader looks for a label; then the other sides.
constexpr PlotPoint kLabelSides[] = {{1, -1}, {1, 1}, {-1, -1}, {-1, 1},
                                     {0, -1}, {0, 1}, {1, 0},   {-1, 0}};
constexpr std::size_t kLabelRings = 10;
constexpr double kRingWidth = 11;

class LabelPlacer {
 public:
  LabelPlacer(const std::vector<PlotPoint>& marks, LabelBox frame) : frame_(frame) {
    for (const PlotPoint& mark : marks)
      taken_.push_back(box_around(mark, kLabelledRadius, kLabelledRadius));
  }

  std::optional<LabelPlace> place(const MarkLabel& label) {
    const double half_width = kDigitWidth * static_cast<double>(label.text.size()) / 2;
    const double half_height = kDigitHeight / 2;
    for (std::size_t ring = 0; ring < kLabelRings; ++ring) {
      const double distance = kLabelledRadius + kLabelGap + kRingWidth * static_cast<double>(ring);
      for (const PlotPoint& side : kLabelSides) {
        const PlotPoint middle = {label.mark.x + side.x * (distance + half_width),
                                  label.mark.y + side.y * (distance + half_height)};
        const LabelBox box = box_around(middle, half_width, half_height);
        if (!is_free(box)) continue;
        taken_.push_back(box_around(middle, half_width + kLabelGap, half_height + kLabelGap));
        return LabelPlace{.baseline = {box.left, box.bottom}, .is_far = ring > 0};
      }
    }
    return std::nullopt;
  }

 private:
  bool is_free(const LabelBox& box) const {
    return frame_.contains(box) &&
           std::ranges::none_of(taken_, [&](const LabelBox& other) { return box.meets(other); });
  }

  LabelBox frame_;
  std::vector<LabelBox> taken_;
};

}  // namespace

std::vector<std::optional<LabelPlace>> place_labels(const std::vector<MarkLabel>& labels,
                                                    const std::vector<PlotPoint>& marks,
                                                    PlotPoint top_left, PlotPoint bottom_right) {
  LabelPlacer placer(marks, {top_left.x, top_left.y, bottom_right.x, bottom_right.y});
  std::vector<std::optional<LabelPlace>> places;
  for (const MarkLabel& label : labels) places.push_back(placer.place(label));
  return places;
}

}  // namespace strobe::report
