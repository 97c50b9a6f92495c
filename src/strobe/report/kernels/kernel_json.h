#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/base/json_write.h"
#include "strobe/report/kernels/kernel_report.h"

// A study as JSON, and the parts that other reports on kernels share.
namespace strobe::report {

// For tools: every sum of a study, and every launch in the form that strobe reads back. Times are
// whole nanoseconds and sums are exact; percentages have four decimals, unknown values are null.
// Keys are stable, new ones may be added; a key that changes its meaning raises the version.
// docs/kernels.md describes them.
std::string kernel_json(const analysis::KernelStudy& study, const KernelPage& page);

// "source" and "devices": where the numbers come from.
void write_kernel_source(JsonWriter& json, const analysis::KernelStudy& study);

void write_percent(JsonWriter& json, std::string_view key, std::optional<double> percent);
void write_optional(JsonWriter& json, std::string_view key, std::optional<double> value);

// launches, latency_ns, share_pct, ...; inside an open object.
void write_sums(JsonWriter& json, const analysis::KernelSums& sums,
                const analysis::KernelSums& whole);

}  // namespace strobe::report
