#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

namespace strobe {

// The recordings of one rank: its trace, and the samples taken during it.
struct RankCapture {
  std::int32_t rank = 0;
  std::string path;  // of the trace file
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const AllocatorSnapshot> snapshot = {};  // if the file is one
  ImportReport import;
  std::vector<MetricSeries> metrics;        // by device, then metric
  std::vector<std::string> metric_remarks;  // problems of the samples, in sentences
};

struct Run {
  std::string label;               // as short as possible to distinguish the runs: "normal"
  std::string folder;              // the name of the folder that holds it
  std::vector<RankCapture> ranks;  // by rank, at least one
};

}  // namespace strobe
