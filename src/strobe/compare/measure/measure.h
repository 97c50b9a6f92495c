#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/cycles/cycles.h"
#include "strobe/analysis/waits/waits.h"
#include "strobe/base/result.h"
#include "strobe/device/metric_info.h"
#include "strobe/trace/run.h"
#include "strobe/trace/trace.h"

namespace strobe::compare {

// The kind of a function, for comparing runs.
enum class FunctionKind : std::uint8_t {
  kKernel,
  kCollective,  // a kernel that communicates
  kMemcpy,
  kMemset,
  kHostOperator,  // operators, annotations and other ranges of the host
  kDataLoading,   // a range of the host in which the input is loaded
  kRuntimeCall,
  kScheduling,  // from the operating system: on a core, waiting for one
  kInputOutput,
  kOverhead,  // the profiler's own work
};
std::string_view word_of(FunctionKind kind);  // "kernel", "runtime_call"

// Nothing for slices that are not functions: steps, the profiler's spans and drawings, projections
// onto a device, interpreter frames, and entries of a device stream that are not work.
std::optional<FunctionKind> function_kind(SliceKind kind, std::uint8_t flags,
                                          std::string_view category, TrackKind track);

constexpr bool is_on_device(FunctionKind kind) { return kind <= FunctionKind::kMemset; }

// One rank of one run, measured cycle by cycle. Every vector named "per cycle" has one element per
// element of CycleList::cycles.

struct FunctionKey {
  std::string name;
  FunctionKind kind = FunctionKind::kKernel;
  std::string device;  // "GPU 7", "Host"

  auto operator<=>(const FunctionKey&) const = default;
};

struct FunctionCycles {
  FunctionKey key;
  // Per cycle.
  std::vector<std::int64_t> time_ns;       // clipped to the cycle, added over tracks
  std::vector<std::int64_t> covered_ns;    // their union
  std::vector<std::uint32_t> calls;        // that begin in it
  std::vector<std::int64_t> copied_bytes;  // memcpy only, if the trace has them; else empty
  double blocks = 0;         // kernels: mean blocks of threads per launch; 0 if unknown
  bool is_operator = false;  // of the framework; false for ranges of the script and for modules
  // Device work by the cycle in which it was launched; empty if the launches are not known.
  std::vector<std::uint32_t> launched_calls = {};
  std::vector<std::int64_t> launched_ns = {};  // whole durations
};

// One metric over one function's own time. NaN in a cycle without enough samples.
struct MetricCycles {
  std::size_t function = 0;  // of RankMeasure::functions
  std::size_t series = 0;    // of RankMeasure::series
  // Per cycle.
  std::vector<double> mean;       // mu, in the unit of its MetricInfo
  std::vector<double> deviation;  // sigma: over time, inside the cycle
  std::vector<double> coverage;   // share of the function's time that has a value
};

struct DeviceCycles {
  std::string device;
  std::string chip = {};  // as in the trace: "NVIDIA H200"; may be ""
  // Per cycle.
  std::vector<std::int64_t>
      busy_ns;  // union of device work; of the host: operators and runtime calls
  std::vector<std::uint64_t> slices;  // that begin in it
  std::vector<bool> is_partial;       // too few of them, cut by the trace's own border, or warm-up
  // Union of the work launched in it, whenever that runs; empty if the launches are not known.
  std::vector<std::int64_t> launched_ns = {};
  std::int64_t overhang_ns = 0;  // how long such work goes on after the last cycle
  // The host is so far ahead that the cycles, which it cuts, say little about the device's time.
  bool outlasts_cycles = false;
};

enum class TimeBase : std::uint8_t { kTrace, kWallClock, kNoOverlap };

// A series alone, whatever ran meanwhile.
struct SeriesCycles {
  std::string device;
  std::string metric;
  device::MetricInfo info;
  TimeBase time_base = TimeBase::kTrace;
  std::size_t samples = 0;
  std::size_t samples_in_cycles = 0;
  double period_ns = 0;           // median distance of samples
  double recording_mean = 0;      // over the whole series, also outside of cycles
  double recording_median = 0;    // of bits, those that most samples have
  std::vector<double> mean;       // per cycle, over the whole cycle; NaN if uncovered
  std::vector<double> busy_mean;  // per cycle, while the device works (host: as mean)
  // Per cycle, the number of the sample that its value comes from: cycles of a slow sampler share
  // one. Empty: each cycle has its own.
  std::vector<std::size_t> sample_of = {};

  std::size_t sample_in(std::size_t cycle) const {
    return sample_of.empty() ? cycle : sample_of[cycle];
  }
};

// What the host did while no device worked.
struct IdleCause {
  analysis::IdleKind kind = analysis::IdleKind::kNothing;
  std::string name;    // of the call, operator, range or frame; "" if there is none
  std::string inside;  // for a call: the operator or range around it; "" if there is none

  auto operator<=>(const IdleCause&) const = default;
};

struct IdleCycles {
  IdleCause cause;
  std::vector<std::int64_t> idle_ns;  // per cycle
};

// Work of one device whose launching call is known. Its delay is the time from the end of the call
// to its own start, at least 0.
struct LaunchCycles {
  std::string device;
  // Per cycle. NaN without such work.
  std::vector<double> median_delay_ns;  // of the work that starts in it
  std::vector<double> mean_queue;       // launched and not started, over the cycle
};

struct RankMeasure {
  std::int32_t rank = 0;
  std::string path;
  std::int64_t origin_ns = 0;  // start of the trace's earliest slice
  analysis::CycleList cycles;
  std::vector<FunctionCycles> functions;  // by key
  std::vector<DeviceCycles> devices;      // "Host" first, then by number
  std::vector<SeriesCycles> series;
  std::vector<MetricCycles> metrics;   // by function, then series
  std::vector<IdleCycles> idle;        // by cause
  std::vector<LaunchCycles> launches;  // in the order of the devices, without the host
  std::vector<std::string> remarks;    // problems of the input, in sentences
  bool has_frames = false;             // of the script's interpreter

  std::string chip_of(const std::string& device) const;
  bool is_usable(const std::string& device, std::size_t cycle) const;  // not partial there
};

struct MeasureOptions {
  analysis::CycleOptions cycles;
  bool keep_partial = false;
};

// Measures in cycles that are already known.
RankMeasure measure_cycles(const RankCapture& capture, analysis::CycleList cycles,
                           bool keep_partial = false);

Result<RankMeasure> measure(const RankCapture& capture, const MeasureOptions& options = {});

// Which cycles of a device are incomplete: those with fewer than 80 % of the slices of the median
// cycle of their type, and those at a border where the trace was cut.
std::vector<bool> partial_cycles(const std::vector<analysis::Cycle>& cycles,
                                 const std::vector<std::uint64_t>& slices);

// The cycles that count for a device: complete there, not empty, and of one type if one is given.
std::vector<std::size_t> usable_cycles(const RankMeasure& measure, const std::string& device,
                                       std::optional<analysis::CycleType> type = {});

}  // namespace strobe::compare
