#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/trace/metric_series.h"

namespace strobe::readers {

struct MetricsRead {
  std::vector<MetricSeries> series;  // by device, then metric
  std::vector<std::string> remarks;  // "line 17: 'n/a' is no number; 3 lines left out"
};

// `ts_us,device,metric,value`, in any order of lines; plain, gzip or zstd. Lines that cannot be
// used are left out and remarked on; a missing column is an error.
Result<MetricsRead> read_metrics_csv(const std::filesystem::path& path);
Result<MetricsRead> read_metrics_bytes(std::string_view bytes, const std::string& name);

}  // namespace strobe::readers
