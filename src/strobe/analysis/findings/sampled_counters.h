#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/trace.h"

// Counters that a recorder sampled while the program ran, as functions of time.
namespace strobe::analysis {

struct SampledPiece {
  Interval interval;
  double value = 0;  // in the unit of its metric; of a counter its rate per second
};

struct SampledCounter {
  TrackId track;
  std::optional<std::int32_t> device;  // of its track
  std::string key;                     // "python3 (4711)"; "" if there is none
  device::MetricInfo info;
  std::vector<SampledPiece> pieces;  // by time, disjoint; a pause of the sampler is a gap
};

// All counters of a trace that mean this, by track.
std::vector<SampledCounter> sampled_counters(const Trace& trace, device::MetricRole role);

// What the samples say about a time.
struct SampledTime {
  std::size_t pieces = 0;       // that lie in it, at least in part
  std::int64_t covered_ns = 0;  // of it
  double sum_ns = 0;            // of value times length

  double mean() const { return covered_ns > 0 ? sum_ns / static_cast<double>(covered_ns) : 0; }
  // Ten samples or more, over at least half of it.
  bool is_enough_for(std::int64_t whole_ns) const;
};
SampledTime time_in(const SampledCounter& counter, const IntervalSet& whole);

// When at least one of the bits is set.
IntervalSet time_with_bits(const SampledCounter& counter, std::uint64_t bits);

}  // namespace strobe::analysis
