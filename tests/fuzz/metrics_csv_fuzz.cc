// Any bytes as metrics.csv: reading ends, and every series fulfils the contract of its header.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "strobe/readers/metric_samples.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

void check_promises(const strobe::readers::MetricsRead& read) {
  for (std::size_t i = 0; i < read.series.size(); ++i) {
    const strobe::MetricSeries& series = read.series[i];
    FUZZ_CHECK(!series.device.empty() && !series.metric.empty(), "a series has its names");
    FUZZ_CHECK(!series.times_ns.empty(), "a series has samples");
    FUZZ_CHECK(series.times_ns.size() == series.values.size(), "a value for every time");
    for (std::size_t k = 0; k < series.values.size(); ++k) {
      FUZZ_CHECK(std::isfinite(series.values[k]), "values are finite");
      FUZZ_CHECK(k == 0 || series.times_ns[k - 1] < series.times_ns[k], "times ascend");
    }
    if (i == 0) continue;
    const strobe::MetricSeries& before = read.series[i - 1];
    FUZZ_CHECK(std::tie(before.device, before.metric) < std::tie(series.device, series.metric),
               "series are sorted and each is there once");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = strobe::readers::read_metrics_bytes(bytes, "metrics.csv");
  if (!read) return 0;
  check_promises(*read);
  const auto again = strobe::readers::read_metrics_bytes(bytes, "metrics.csv");
  FUZZ_CHECK(again && again->series.size() == read->series.size(), "the same answer again");
  FUZZ_CHECK(again->remarks == read->remarks, "the same remarks again");
  return 0;
}
