#pragma once

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"

namespace strobe {

// Writes a value of a text that was read forgivingly so that the result always parses: strings are
// repaired, what is no number becomes null, and what nests too deeply becomes a string.
void copy_json(const JsonValue& value, JsonWriter& json);

}  // namespace strobe
