#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"

// The results of a cell, and of a run: the content of a `strobe.bench/1` file.
namespace strobe::bench {

enum class CellStatus : std::uint8_t {
  kOk,
  kOom,
  kOomPredicted,  // predicted by the plan, not run
  kUnsupported,
  kError,
  kTimeout,
  kWrong,  // ran, but its values differ from the reference
  kMissing,
};
std::string_view status_name(CellStatus status);  // "ok", "oom_predicted"
Result<CellStatus> parse_status(std::string_view name);
// It has times, even if its values are wrong.
constexpr bool ran_through(CellStatus status) {
  return status == CellStatus::kOk || status == CellStatus::kWrong;
}

// Flags of a cell that has a time; several may apply. noisy: the cap was reached before the
// interval was narrow.
enum class CellFlag : std::uint8_t {
  kNoisy,
  kThrottled,
  kSameKernels,   // as the provider that it is compared with
  kNearFloor,     // within 1.5x of an event pair around an empty kernel
  kHostBound,     // call time exceeds device time by more than 20 %
  kFellBack,      // a compiled provider that ran the library's kernels
  kMathDiffers,   // the two sides computed in different precisions
  kUnrepeatable,  // --repeat-check: different bits in another call
};
std::string_view flag_name(CellFlag flag);  // "noisy", "same_kernels"
std::optional<CellFlag> find_flag(std::string_view name);

// Requested data that is missing in a record, by the name of its member.
enum class Lack : std::uint8_t { kCounters, kApi };
std::string_view lack_name(Lack lack);  // "counters", "api"
std::optional<Lack> find_lack(std::string_view name);

enum class TimeMode : std::uint8_t { kDevice, kGraph, kCall, kActivity, kCpu };
// The first of these that a record has is its headline.
inline constexpr TimeMode kHeadlineModes[] = {
    TimeMode::kDevice, TimeMode::kCpu, TimeMode::kActivity, TimeMode::kGraph, TimeMode::kCall};
std::string_view mode_name(TimeMode mode);
Result<TimeMode> parse_mode(std::string_view name);

// The state of the cache before each call: the last-level cache of a host, the L2 cache of a GPU.
enum class FlushKind : std::uint8_t {
  kCold,       // other data, clean: more than the cache holds is read
  kColdDirty,  // other data, modified: the next call pays for writing it back
  kRotate,     // every call on the next set of buffers
  kHot,        // as the previous call left it
};
std::string_view flush_name(FlushKind kind);  // "cold", "cold-dirty", "rotate", "hot"
Result<FlushKind> parse_flush(std::string_view name);

struct TimeSummary {  // microseconds
  double p50 = 0;
  double p20 = 0;
  double p80 = 0;
  double min = 0;
  double mad = 0;
  std::size_t n = 0;
  std::array<double, 2> ci95 = {0, 0};  // of the median, by order statistics; 0, 0: unknown
  std::size_t set_aside = 0;            // samples left out because the clock was low
  std::vector<float> samples_us = {};   // kept for --samples and for comparing; may be empty
};

struct KernelLaunch {
  std::string name;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::optional<double> duration_us = {};
  std::optional<std::int64_t> registers = {};
  std::optional<std::int64_t> shared_bytes = {};
};

// Calls of a device's runtime and driver during one call of the cell, by name.
struct ApiCall {
  std::string name;  // "cuLaunchKernel"
  std::int64_t count = 0;
  double us = 0;  // host time in all of them, without the calls inside them
  bool operator==(const ApiCall&) const = default;
};

struct Accuracy {
  double max_abs = 0;
  double max_rel = 0;
  double norm_rel = 0;  // |a-b| / |b|
  // These are needed to merge parts, and are not stored: |a-b|, |b|, and the largest error as a
  // multiple of its tolerance.
  double error = 0;
  double norm = 0;
  double worst_ratio = -1;
  std::uint64_t checked = 0;
  std::uint64_t mismatches = 0;
  std::int64_t worst_index = -1;
  double atol = 0;
  double rtol = 0;
  double equality() const { return checked ? 1.0 - double(mismatches) / double(checked) : 0.0; }
};

struct CompileTimes {  // milliseconds; absent: did not happen
  std::optional<double> codegen_ms, nvrtc_ms, load_ms, autotune_ms, first_call_ms;
  bool is_cached = false;
};

struct ByteCounts {
  double min = 0;
  double unfused = 0;
  std::optional<double> resident;
  std::optional<double> peak;
};

// Hardware counters of one call, summed over its launches; absent: not counted.
struct CellCounters {
  std::size_t launches = 0;
  // Between threads and L1, by kind of instruction, in whole sectors; and the part that hit L1.
  std::optional<double> l1_load_bytes, l1_load_hit_bytes;
  std::optional<double> l1_store_bytes, l1_store_hit_bytes;
  std::optional<double> l1_reduction_bytes, l1_reduction_hit_bytes;
  std::optional<double> l2_read_bytes, l2_write_bytes;  // by multiprocessors, also past L1
  std::optional<double> dram_read_bytes, dram_write_bytes;
  std::optional<double> instructions;  // of warps
  std::optional<double> flops;         // 32-bit additions and multiplications; fused ones are two
  std::optional<double> matrix_flops;  // those of the matrix pipe, of 16-bit and TF32 values
  bool operator==(const CellCounters&) const = default;
};

struct Clocks {
  std::optional<double> sm_mhz, memory_mhz, power_w, temperature_c;
  std::vector<std::string> reasons;  // why the driver limits the clock
};

struct CellRecord {
  Cell cell;
  CellStatus status = CellStatus::kMissing;
  std::string reason;  // for a status other than ok: what happened and what to do
  std::map<TimeMode, TimeSummary> times;
  std::optional<double> burst_us, sustained_us;  // cells above 1 ms
  ByteCounts bytes;
  double flops = 0;
  std::optional<CellCounters> counters;
  std::vector<KernelLaunch> kernels;
  std::string signature;
  std::vector<ApiCall> api;  // in the order of first calls; empty: not requested, or none
  CompileTimes compile;
  std::map<std::string, std::string>
      config;  // how the provider was tuned: "schedule": "row-cluster"
  std::optional<Accuracy> accuracy;
  Clocks clocks;
  std::vector<CellFlag> flags;
  std::map<Lack, std::string> lacks;  // and why
  std::vector<std::string> notes;     // sentences for people

  const TimeSummary* time(TimeMode mode) const;
  // The headline: device time, or host time without a device.
  const TimeSummary* headline() const;
  // The headline if the cell ran through and its time is not zero; else null.
  const TimeSummary* usable_time() const;
  // Its case has matrix products: the limit is the matrix pipe rather than memory.
  bool is_of_products() const;
  // Attention: the products above the diagonal are masked.
  bool has_masked_half() const;
  // The `flops` that rates count: without the masked half.
  double rated_flops() const { return has_masked_half() ? flops / 2 : flops; }
  // The bytes that a perfect fusion moves, and the arithmetic, per time.
  double gbps(double us) const { return bytes.min / us * 1e-3; }
  double tflops(double us) const { return rated_flops() / us * 1e-6; }
  bool has(CellFlag flag) const;
  void set(CellFlag flag);
  // The notes, and a sentence for each lack.
  std::vector<std::string> all_notes() const;
};
// "not counted: its worker does not support 'count'"
std::string lack_text(Lack lack, std::string_view why);

// The time of that mode; the headline if no mode is given.
const TimeSummary* time_of(const CellRecord& record, std::optional<TimeMode> mode);

// Shown with rates of such cells.
inline constexpr std::string_view kMaskedHalfNote =
    "attention: half of its operations are masked, and only the others count in rates and shares";

struct Floors {  // microseconds
  std::optional<double> event_pair, empty_kernel_events;
  std::optional<double> empty_kernel;         // by the counter gpu__time_duration
  std::optional<double> empty_kernel_record;  // by CUPTI's record of the launch
  std::optional<double> empty_kernel_graph, launch_call;
  // How much the same call differs between two streams, and so between two runs.
  std::optional<double> stream_spread;
};

struct Roofs {
  std::optional<double> copy_gbps = {}, read_gbps = {}, write_gbps = {};
  std::optional<double> gemm_tflops = {};  // a device's in 16 bits, the host's in 32
  std::optional<bool> is_of_host = {};     // unknown for older runs
  // The roofs that apply to the record: none if these were measured on another device.
  Roofs over(const CellRecord& record) const;
};

// What is queued on a held device: one call; up to sixteen calls (older runs, whose short calls
// take longer because the device fetches the next ones); or nothing is held, and the times may
// depend on the host's speed.
enum class Hold : std::uint8_t { kCall, kCalls, kNone };

// How a time was measured. Runs of different methods are compared only if forced.
struct Method {
  std::string flush = "cold";  // a flush_name(), or an unknown word of the file
  std::string stop = "median:0.5%";
  std::vector<TimeMode> modes = {TimeMode::kDevice};
  std::uint64_t seed = 1;
  Hold hold = Hold::kCall;
  bool operator==(const Method&) const = default;
};

struct RunHeader {
  std::string run;  // an id
  std::string strobe_version;
  std::string device;
  std::string driver;
  std::map<std::string, std::string> libraries;  // "nvrtc": "13.0"
  Floors floors;
  Roofs roofs;
  Method method;
  std::string command_line;
  std::string started;                         // ISO 8601, UTC
  std::map<std::string, double> device_facts;  // "l2_bytes", "sm_count", "memory_bytes"
};

struct BenchRun {
  RunHeader header;
  std::vector<CellRecord> cells;          // in execution order
  std::vector<std::string> remarks = {};  // what could not be read, by its place
};

}  // namespace strobe::bench
