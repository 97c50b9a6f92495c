#pragma once

#include <string_view>

#include "strobe/base/csv.h"
#include "strobe/base/result.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {

// Whether a line is the header `Kernel Latency Tensor DRAM`.
bool is_text_table_header(std::string_view line);

// The lines below it: a name, `|` or `: `, nanoseconds and two fractions of the peak.
Result<void> read_text_table(CsvRecords& lines, LaunchRows& rows);

}  // namespace strobe::readers
