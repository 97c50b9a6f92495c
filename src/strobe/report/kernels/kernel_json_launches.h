#pragma once

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/base/json_write.h"

// The table behind a study, member by member of an open object, as strobe's own reader knows it:
// docs/formats/kernels_json.md.
namespace strobe::report {

// "source" and "devices": where the numbers come from.
void write_kernel_source(JsonWriter& json, const analysis::KernelStudy& study);
// "kernels": one line per launch, in the order they ran.
void write_kernel_launches(JsonWriter& json, const analysis::KernelStudy& study);

}  // namespace strobe::report
