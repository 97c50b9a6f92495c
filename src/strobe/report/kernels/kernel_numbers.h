#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/base/text.h"
#include "strobe/report/render/document.h"

// The numbers of kernels for people: each with its unit; unknown ones are "-".
namespace strobe::report {

std::string flop_rate_text(std::optional<double> flop_per_s);     // "635 TFLOP/s"
std::string byte_rate_text(std::optional<double> bytes_per_s);    // "4.30 TB/s": powers of ten
std::string intensity_text(std::optional<double> flop_per_byte);  // "184 FLOP/byte"
std::string percent_of_peak_text(std::optional<double> percent);  // "24.6 %"
std::string clock_text(double hz);                                // "1,980 MHz"

std::string launches_text(std::uint64_t launches);  // "1 launch", "971 launches"

// "0.93x": after / before.
std::string ratio_text(std::optional<double> ratio);

// Typed cells of the tables.
Cell percent_cell(std::optional<double> percent);  // of a resource's peak
Cell time_cell(std::optional<double> ns);
Cell share_cell(std::optional<double> share);

}  // namespace strobe::report
