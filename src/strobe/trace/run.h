#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/trace/import_report.h"
#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

namespace strobe {

// What one rank left behind: its trace, and what samplers saw meanwhile.
struct RankCapture {
  std::int32_t rank = 0;
  std::string path;  // of the trace file
  std::shared_ptr<const Trace> trace;
  ImportReport import;
  std::vector<MetricSeries> metrics;        // by device, then metric
  std::vector<std::string> metric_remarks;  // what was wrong with the samples, in sentences
};

struct Run {
  std::string label;               // as short as tells the runs apart: "normal"
  std::string folder;              // the name of the folder that holds it
  std::vector<RankCapture> ranks;  // by rank, one at least
};

}  // namespace strobe
