#pragma once

#include <string>
#include <string_view>

#include "strobe/report/render/document.h"

namespace strobe::report {

// For tools: {"schema", "version", "facts", "findings", "tables"}. Tables are keyed by section,
// rows are objects keyed by column; nanoseconds, bytes and counts are integers, shares are of 1,
// what is absent is null. Keys stay, new ones may come; a key that changes its meaning raises the
// version.
std::string render_json(const Document& document);

std::string_view weight_word(analysis::FindingWeight weight);  // "worth_a_look"

}  // namespace strobe::report
