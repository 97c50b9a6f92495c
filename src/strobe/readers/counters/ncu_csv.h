#pragma once

#include <string>
#include <vector>

#include "strobe/base/csv.h"
#include "strobe/base/result.h"
#include "strobe/readers/counters/launch_rows.h"

namespace strobe::readers {

// A profiler's CSV with one row per launch and one column per metric, after its header. The row
// after the header holds units.
Result<void> read_wide_csv(CsvRecords& records, const std::vector<std::string>& header,
                           LaunchRows& rows);

// A profiler's CSV with one row per launch and metric, after its header: metrics by name, or by the
// labels of its details page, which has rows of rules between them.
Result<void> read_metric_rows(CsvRecords& records, const std::vector<std::string>& header,
                              LaunchRows& rows);

}  // namespace strobe::readers
