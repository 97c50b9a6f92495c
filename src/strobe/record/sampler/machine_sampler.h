#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/series_writer.h"

namespace strobe::record {

// How busy the machine as a whole is.
class MachineSampler {
 public:
  MachineSampler(const HostAccess& host, SeriesWriter& out);
  MachineSampler(const MachineSampler&) = delete;
  MachineSampler& operator=(const MachineSampler&) = delete;

  // Usage of the cores, load, pressure, memory, and the clock of these cores (at most 16 of them).
  void sample(std::int64_t now_ns, std::span<const std::uint64_t> cores);
  // Nothing is compared with what was read before.
  void forget() { ticks_.reset(); }

 private:
  struct Pressure {
    ProcFile file;
    Series series;
  };
  // The clock of a core, in kHz.
  struct CoreClock {
    ProcFile file;
    std::uint64_t full = 0;
  };

  void sample_usage(std::int64_t now_ns);
  void sample_load(std::int64_t now_ns);
  void sample_pressure(std::int64_t now_ns);
  void sample_memory(std::int64_t now_ns);
  void sample_clocks(std::int64_t now_ns, std::span<const std::uint64_t> cores);
  CoreClock& clock_of(std::uint64_t core);

  const HostAccess& host_;
  SeriesWriter& out_;
  DescriptorBudget budget_{32};
  ProcFile stat_;
  ProcFile load_average_;
  ProcFile memory_;
  std::array<Pressure, 3> pressures_;
  std::map<std::uint64_t, CoreClock> clocks_;
  std::optional<CoreTicks> ticks_;
  Series usage_ = {.metric = "host_cpu_usage", .scale = -1};
  Series load_ = {.metric = "host_load", .scale = -2};
  Series memory_used_ = {.metric = "host_mem_used", .scale = -1};
  Series frequency_ = {.metric = "cpu_frequency", .scale = -1};
  std::array<char, kProcBytes> buffer_ = {};
};

}  // namespace strobe::record
