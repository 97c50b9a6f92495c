#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strobe::report {

// A corner of a picture, or a mark in it, in pixels from its top left.
struct PlotPoint {
  double x = 0;
  double y = 0;
};

// A mark that gets a label, if there is room.
struct MarkLabel {
  PlotPoint mark;
  std::string text;  // a few digits
};

struct LabelPlace {
  PlotPoint baseline;   // where its text starts
  bool is_far = false;  // a line should lead from the mark to it
};

// Places for labels between two corners, near their marks. No label covers another one, or any of
// `marks`. The first labels get the best places; a label without a free place gets none.
std::vector<std::optional<LabelPlace>> place_labels(const std::vector<MarkLabel>& labels,
                                                    const std::vector<PlotPoint>& marks,
                                                    PlotPoint top_left, PlotPoint bottom_right);

}  // namespace strobe::report
