#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strobe {

// One accelerator as the trace describes it. 0 where the trace is silent.
struct DeviceProperties {
  std::int32_t id = 0;
  std::string name;
  std::int64_t memory_bytes = 0;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::int32_t multiprocessors = 0;
  std::int32_t warp_threads = 0;
  std::int32_t max_threads_per_block = 0;
  std::int32_t max_threads_per_multiprocessor = 0;
  std::int64_t registers_per_block = 0;
  std::int64_t registers_per_multiprocessor = 0;
  std::int64_t shared_bytes_per_block = 0;
  std::int64_t shared_bytes_per_multiprocessor = 0;
  std::int64_t shared_bytes_per_block_optin = 0;
};

struct Distributed {
  std::string backend;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
};

// How to read this trace's slices; set by its dialect, so that analyses need not know one vendor
// from another.
struct TraceTraits {
  std::string dialect;                       // its name, for people
  std::string runtime_label;                 // what tables call runtime calls
  std::string device_label = "GPU";          // what tables call the device
  bool nested_operators_are_phases = false;  // an operator below another one is its phase
  bool steps_cover_all_threads = false;      // a step owns the launches of every thread in its time
  bool uses_vendor_collectives =
      false;  // communication kernels of all vendors count, not only the classic two
};

// What stands outside the events.
struct Metadata {
  TraceTraits traits;
  std::vector<DeviceProperties> devices;
  Distributed distributed;
  std::int64_t base_time_ns =
      0;  // added to every time to get the wall clock; 0 if times are absolute
  std::optional<double> process_cpu_utilization;  // 1.0 = one core
  std::optional<double> system_cpu_utilization;   // 1.0 = all cores
  std::vector<std::pair<std::string, std::string>>
      members;  // key and JSON text of every top-level member that says more than the fields above
};

}  // namespace strobe
