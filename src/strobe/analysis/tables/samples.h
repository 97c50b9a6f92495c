#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

enum class SampledThing : std::uint8_t { kDevice, kProcess, kHost };

// One metric of one device, of all processes of the program together, or of the host. Values are in
// the unit of `info`; of a counter they are rates per second.
struct SampleRow {
  SampledThing thing = SampledThing::kHost;
  std::string owner;   // "GPU 0", "python3 (4711)", "3 processes", "host"
  std::string metric;  // as the trace writes it: "gpu_power_mw"
  std::string key;     // what tells rows of one metric apart: "power cap"; mostly ""
  std::string label;   // for people: "power: draw"
  device::MetricInfo info = {};
  // Weighted by the time for which each value holds. Nothing for events, which have no mean, and
  // for a counter that was seen only once.
  std::optional<double> mean = {};
  std::optional<double> steady_mean = {};  // after the start-up, if there is one
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::uint64_t samples = 0;
};

struct SampleTable {
  std::vector<SampleRow> rows;
  // What has no rows: it would be thousands, and the rows of processes and host contain its sum.
  std::size_t threads = 0;
  std::size_t other_processes = 0;  // outside of the program
};

// The sampled metrics whose meaning is known. The metrics that explain most runs come first: clock,
// power and use of the device, time of the process on a core and without one, use of the cores.
// Within these and within the rest: devices, processes, host. `steady`: the time after a start-up.
SampleTable list_samples(const Trace& trace, const std::optional<Interval>& steady = {});

}  // namespace strobe::analysis
