#pragma once

#include <optional>
#include <string_view>

#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/base/json_write.h"

// The members that every sum of kernels has in JSON.
namespace strobe::report {

void write_percent(JsonWriter& json, std::string_view key, std::optional<double> percent);
void write_optional(JsonWriter& json, std::string_view key, std::optional<double> value);

// launches, latency_ns, share_pct, ...; inside an object that is open.
void write_sums(JsonWriter& json, const analysis::KernelSums& sums,
                const analysis::KernelSums& whole);

}  // namespace strobe::report
