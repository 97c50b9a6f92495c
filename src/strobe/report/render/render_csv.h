#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

// For spreadsheets and scripts: every row and column as plain numbers (nanoseconds, bytes, shares
// of 1), the keys of the JSON as header, absent cells empty, quoted as in RFC 4180 with '\n' line
// ends. One table is one CSV file; several stand below each other, each behind a line "# key" and
// with an empty line between. Facts, findings, notes and
// the import are not in it.
std::string render_csv(const Document& document);

// One field, quoted where it must be.
std::string csv_field(const std::string& text);

}  // namespace strobe::report
