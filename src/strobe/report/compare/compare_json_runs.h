#pragma once

#include "strobe/base/json_write.h"
#include "strobe/compare/comparison.h"

// The members of a comparison's JSON that say what was compared.
namespace strobe::report {

void write_runs(JsonWriter& json, const compare::Comparison& comparison);
void write_partial_cycles(JsonWriter& json, const compare::Comparison& comparison);

}  // namespace strobe::report
