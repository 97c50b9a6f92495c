#pragma once

#include <string>
#include <string_view>

#include "strobe/compare/change.h"
#include "strobe/device/metric_info.h"

// Values of sampled metrics for people: in a unit that they know, bits in words.
namespace strobe::report {

std::string metric_text(double value, const device::MetricInfo& info);  // "1,155 MHz", "power cap"
// Bits have no difference: "-".
std::string metric_change_text(double change, const device::MetricInfo& info);
std::string metric_interval_text(const stats::Shift& shift, const device::MetricInfo& info);

// What its name does not say, or says wrongly, about its values: "gpu_power_mw: converted to W.";
// "" if nothing.
std::string metric_note(std::string_view name, const device::MetricInfo& info);

// For a page with differences of percentages.
inline constexpr std::string_view kPointsNote =
    "ppt: percentage points, the difference of two percentages.";
bool is_in_points(const device::MetricInfo& info);

}  // namespace strobe::report
