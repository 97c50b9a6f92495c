#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/report/kernels/roofline_report.h"

// A roofline drawn with ASCII characters and as SVG. The first `lettered` points have a letter, the
// others are dots; if two overlap, the one with more time is shown.
namespace strobe::report {

// A to Z; further points have none.
inline constexpr std::size_t kMostLetters = 26;
char letter_of(std::size_t point);

// Some point has operations and bytes, so it can be drawn under the roofs.
bool has_rates(const analysis::Roofline& roofline);

// The roof for a point's bytes; nullptr if unknown.
const analysis::Roof* dram_roof(const analysis::Roofline& roofline);

// FLOP/s over FLOP/byte, both logarithmic, with the roofs. Empty without such points.
std::vector<std::string> rate_picture(const analysis::Roofline& roofline, std::size_t lettered,
                                      std::size_t columns);

// Share of the matrix pipe over share of DRAM, with the limits of the classes. Empty without
// fractions.
std::vector<std::string> share_picture(const analysis::Roofline& roofline, std::size_t lettered,
                                       std::size_t columns);

// The same as SVG; the area of a point is its time.
std::string share_svg(const analysis::KernelStudy& study, const RooflinePage& page);

// One page with both pictures as SVG, and the tables.
std::string roofline_html(const analysis::KernelStudy& study, const RooflinePage& page);

}  // namespace strobe::report
