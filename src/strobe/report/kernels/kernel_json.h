#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/base/json_write.h"
#include "strobe/report/kernels/kernel_report.h"

// The table behind a study, member by member of an open object, as strobe's own reader knows it:
// docs/formats/kernels_json.md.
namespace strobe::report {

// For tools: every sum of a study, and every launch as strobe reads it back. Times are whole
// nanoseconds and sums are exact; percentages have four decimals, what is unknown is null. Keys
// stay, new ones may come; a key that changes its meaning raises the version. docs/kernels.md
// describes them.
std::string kernel_json(const analysis::KernelStudy& study, const KernelPage& page);

// "source" and "devices": where the numbers come from.
void write_kernel_source(JsonWriter& json, const analysis::KernelStudy& study);
// "kernels": one line per launch, in the order they ran.
void write_kernel_launches(JsonWriter& json, const analysis::KernelStudy& study);

void write_percent(JsonWriter& json, std::string_view key, std::optional<double> percent);
void write_optional(JsonWriter& json, std::string_view key, std::optional<double> value);

// launches, latency_ns, share_pct, ...; inside an object that is open.
void write_sums(JsonWriter& json, const analysis::KernelSums& sums,
                const analysis::KernelSums& whole);

}  // namespace strobe::report
