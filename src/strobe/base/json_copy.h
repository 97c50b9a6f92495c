#pragma once

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"

namespace strobe {

// Writes a value of a text that was read forgivingly so that the result always parses: strings are
// repaired, what is no number or ends too early becomes null, what nests too deeply a string.
void copy_json(const JsonValue& value, JsonWriter& json);

}  // namespace strobe
