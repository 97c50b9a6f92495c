#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

// Series of samples, from a file beside a trace and from the trace itself.
namespace strobe::readers {

struct MetricsRead {
  std::vector<MetricSeries> series;  // by device, then metric
  std::vector<std::string> remarks;  // "line 17: 'n/a' is not a number; 3 lines left out"
};

// `ts_us,device,metric,value`, with lines in any order; plain, gzip or zstd. Unusable lines are
// left out, with a remark; a missing column is an error.
Result<MetricsRead> read_metrics_csv(const std::filesystem::path& path);
Result<MetricsRead> read_metrics_bytes(std::string_view bytes, const std::string& name);

// metrics.csv, plain or compressed.
bool is_metrics_file(const std::filesystem::path& path);
// The one of a folder.
std::optional<std::filesystem::path> metrics_in(const std::filesystem::path& folder);

// The counters of a trace as series, by device, then metric. A counter belongs to the device whose
// streams its process holds, else to the host; a counter with several values gives a series for
// each. If there are two values for one time, the last one counts. In a run that strobe recorded,
// the counters of its processes add up (of a quota, which processes share, the largest counts), and
// those of threads are left out.
std::vector<MetricSeries> counter_series(const Trace& trace);

}  // namespace strobe::readers
