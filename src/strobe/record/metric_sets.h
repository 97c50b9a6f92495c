#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::record {

// Metrics that belong together. The hardware counts a few at a time: a set that needs more than one
// pass runs every kernel as often, from the same memory.
struct MetricSet {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> metrics;
};

// What `strobe bench run --counters` counts of a call: the call is made once for every part, from
// the same state of the caches. A part of traffic is one pass: another run of the same kernels
// inside of one call would find in the L2 what the run before has left there. The matrix pipe's
// operations are the same in every run, and some chips need two for them.
std::vector<std::vector<std::string>> bench_parts();

std::span<const MetricSet> metric_sets();
const MetricSet* find_metric_set(std::string_view name);  // nullptr if there is none

}  // namespace strobe::record
