#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::record {

// Metrics that belong together. The hardware counts only a few at a time: a set that needs several
// passes runs every kernel once per pass, from the same memory.
struct MetricSet {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> metrics;
};

// The counters of `strobe bench run --counters`: the call is made once for every part, from the
// same cache state. A part of traffic is one pass, because a second run of the same kernels within
// a call would find data of the first run in the L2. The matrix pipe's operations are the same in
// every run, and some chips need two for them.
std::vector<std::vector<std::string>> bench_parts();

std::span<const MetricSet> metric_sets();
const MetricSet* find_metric_set(std::string_view name);  // nullptr if there is none

}  // namespace strobe::record
