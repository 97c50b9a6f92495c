#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/compare/change.h"
#include "strobe/compare/measure/measure.h"

namespace strobe::compare {

enum class CauseKind : std::uint8_t {
  kClockDrop,
  kMemoryBandwidth,
  kOtherTenant,
  kPcie,
  kFabric,
  kStraggler,
  kHostContention,
  kHostSlow,
  kLaunchBound,
  kSynchronisation,
  kHostBlocks,
  kDiskIo,
  kInputPipeline,
  kMemoryPressure,
  kSlowerKernels,
  kKernelMix,
  kWorkload,
  kCommunicationWait,
  kMeasurement,
  kUnattributed,
};
std::string_view word_of(CauseKind kind);      // "clock", "other_tenant": for --fail-on and JSON
std::string_view sentence_of(CauseKind kind);  // "the device's clock dropped"

// One observation, with its numbers.
struct Evidence {
  std::string text;      // "SM clock while busy 1980 -> 1685 MHz (x0.85, q < 0.001)"
  std::string function;  // the row it comes from; "" if none
  std::string metric;
};

struct Cause {
  CauseKind kind = CauseKind::kUnattributed;
  double score = 0;                // 0..1; 0.5 is listed, 0.75 is confident
  std::string headline;            // "another process computes on GPU 0"
  std::vector<Evidence> evidence;  // for
  std::vector<Evidence> against;
  std::string advice;  // what to look at or do next
  // Where it was found, the most certain first; empty if it is about the whole run.
  std::vector<std::int32_t> ranks = {};
  bool improves = false;  // it explains why the run became faster; gates do not fail on it
  // Milliseconds of the cycle's change that it explains by itself; NaN if that cannot be told.
  double explains_ms = std::numeric_limits<double>::quiet_NaN();
  // Most of what runs was replaced: the time of the replaced part alone says little about it.
  bool is_other_program = false;
  // A fact was recorded or counted (other processes, a clock's limit, other calls), or is code of
  // the host that is new beyond the host's known speed. It may be named beside an unclear answer.
  // The rest is known by times alone, which differ between equal runs.
  bool is_fact = false;
};

inline constexpr double kListedScore = 0.5;
inline constexpr double kConfidentScore = 0.75;

enum class Verdict : std::uint8_t { kSame, kChanged, kNew, kVanished, kCallsChanged, kTooFew };
std::string_view word_of(
    Verdict verdict);  // "~", "changed", "new", "vanished", "calls changed", ...

// Device work by the cycle in which the host launched it, whenever it ran.
struct LaunchedRow {
  bool is_known = false;
  // A run's device goes on long after the cycles, so the time inside a cycle's borders is that of
  // other cycles' work.
  bool decides = false;
  Change ms = {};           // milliseconds per cycle, whole durations
  double calls_normal = 0;  // per cycle, mean
  double calls_abnormal = 0;
  std::vector<double> ms_per_cycle_normal = {};
  std::vector<double> ms_per_cycle_abnormal = {};
};

// One function on one device, in both runs. A side without the function has times of 0.
struct FunctionRow {
  FunctionKey key;
  std::int32_t rank = 0;
  analysis::CycleType type = analysis::CycleType::kStep;
  Change beta;                     // percent of the cycle's time; its q is the row's
  Change ms;                       // milliseconds per cycle
  double covered_beta_normal = 0;  // beta of the union
  double covered_beta_abnormal = 0;
  double mean_calls_normal = 0;  // per cycle
  double mean_calls_abnormal = 0;
  double calls_normal = 0;  // per cycle, without the wildest cycles
  double calls_abnormal = 0;
  double bytes_normal = 0;  // copies: per cycle, if the trace has them; else 0
  double bytes_abnormal = 0;
  // Size of its launches, in blocks of threads, if the trace has it; else 0.
  double blocks_normal = 0;
  double blocks_abnormal = 0;
  double presence_normal = 0;  // share of cycles in which it ran
  double presence_abnormal = 0;
  // With several runs on a side: p against the variation between runs. Else NaN.
  double between_runs_p = 0;
  Verdict verdict = Verdict::kSame;
  double suspicion = 0;  // the largest of its triplets; without metrics |dbeta| * |z|
  double robust = 0;     // the same with floored and capped z
  std::vector<double> ms_per_cycle_normal;  // for plots
  std::vector<double> ms_per_cycle_abnormal;
  LaunchedRow launched;
  bool is_operator = false;  // of the framework; false for ranges of the script and for modules

  // The time that tells whether the function itself changed.
  const Change& own_ms() const { return launched.decides ? launched.ms : ms; }
  double impact_ms() const { return ms.difference(); }
  bool has_other_time() const { return own_ms().q < kSignificant; }  // per cycle, beyond chance
  // How much longer one call takes; NaN if a side has none.
  double call_slowdown() const;
};

// Of a metric with a value per cycle, what is tested and shown. If the sampler is slower than the
// cycles, neighbouring cycles share a sample and are one observation; then there is a change with
// one value per sample.
inline const Change& tested_of(const Change& by_cycle, const std::optional<Change>& by_sample) {
  return by_sample ? *by_sample : by_cycle;
}

// The same function with one metric while it ran.
struct TripletRow {
  std::size_t function = 0;  // of Comparison::functions
  std::string metric;
  device::MetricInfo info;
  Change mu;      // in the unit of info
  Change log_mu;  // log1p of it; without a shift
  std::optional<Change> mu_by_sample = {};
  double sigma_normal = 0;
  double sigma_abnormal = 0;
  double coverage_normal = 0;
  double coverage_abnormal = 0;
  double suspicion = 0;  // |dbeta| * (|z(beta)| + |z(log mu)|)
  double robust = 0;     // the same with floored and capped z

  const Change& tested() const { return tested_of(mu, mu_by_sample); }
};

// When a metric counts: in the whole cycle, or only while its device works.
enum class MetricTime : std::uint8_t { kCycle, kBusy };

// A series of a device in both runs.
struct MetricRow {
  std::string device;
  std::string metric;
  std::int32_t rank = 0;
  device::MetricInfo info;
  Change all;   // mean over each cycle
  Change busy;  // mean while the device worked in it
  std::optional<Change> all_by_sample = {};
  std::optional<Change> busy_by_sample = {};
  // Of all samples, including those outside of cycles.
  double recording_mean_normal = 0;
  double recording_mean_abnormal = 0;
  double recording_median_normal = 0;
  double recording_median_abnormal = 0;

  // Rules look at the cycles, because a counter is evidence even if it was sampled too seldom for a
  // test; reports test and show this.
  const Change& tested(MetricTime time) const {
    return time == MetricTime::kBusy ? tested_of(busy, busy_by_sample)
                                     : tested_of(all, all_by_sample);
  }
  bool shares_samples(MetricTime time) const {
    return (time == MetricTime::kBusy ? busy_by_sample : all_by_sample).has_value();
  }
};

struct DeviceRow {
  std::string device;
  std::int32_t rank = 0;
  Change busy_share;  // percent of the cycle
  Change busy_ms;
  Change idle_ms;
  // Milliseconds in which the device does the work that one cycle launches, whenever that runs.
  // Without values if the launches are not known.
  Change launched_ms = {};
  double overhang_normal_ms = 0;  // how long that work goes on after the last cycle
  double overhang_abnormal_ms = 0;
  bool outlasts_cycles = false;  // in a run by so much that the cycle time is only the host's
  bool outlasts_both = false;    // in both runs
};

// Idle time of the devices with one cause: what the host did meanwhile.
struct IdleCauseRow {
  IdleCause cause;
  std::int32_t rank = 0;
  Change ms;  // milliseconds per cycle
  std::vector<double> ms_per_cycle_normal;
  std::vector<double> ms_per_cycle_abnormal;
};

// How long launched work waited on a device.
struct LaunchRow {
  std::string device;
  std::int32_t rank = 0;
  Change delay_us;  // the median of each cycle, from the end of a launching call to its work
  Change queue;     // launched and not yet started works, averaged over the cycle
};

struct CycleRow;

// How much the two sides may differ though nothing was changed: runs of one program never take the
// same time. With several runs a side, their own differences tell too. Changes and deviations are
// logarithms of factors, so that both directions are alike.
struct RunNoise {
  double host_share = 0;   // of a cycle, in which the device has nothing to do
  double paced_share = 0;  // of a cycle, in which the host sets the pace: it may stretch that
  double host_speed = 1;   // the factor by which all calls of the host take longer
  bool is_speed_known = false;
  double speed_change = 0;      // of the cycle, by that, at most
  double device_change = 0;     // of the cycle, by the part in which the device works
  double device_deviation = 0;  // usual, of that
  double deviation = 0;         // usual, of one side from the other
  double rest_deviation = 0;    // usual, if what the host's speed explains is taken out
  double speed_deviation = 0;   // usual, of the logarithm of the host's speed
  double degrees = 1;           // of freedom, of these deviations

  // A change of the cycle beside such noise: its 95 % interval, and the p that equal sides differ
  // as much. `error` is the standard error that the cycles give it, relative.
  struct Judgement {
    stats::Shift shift;
    double p = 1;
  };
  Judgement judge(double change, double error) const;
  // The change is no more than what equal sides differ by.
  bool covers(const CycleRow& cycle) const;
};

// Of the normal cycle's time: a smaller change does not count.
inline constexpr double kLeastChange = 0.02;

struct CycleRow {  // of one type of cycles
  analysis::CycleType type = analysis::CycleType::kStep;
  Change ms;
  std::vector<double> ms_normal;  // in time order, all cycles of the run(s), partial ones too
  std::vector<double> ms_abnormal;
  std::vector<double> run_ms_normal;  // of each run the mean, without its wildest cycles
  std::vector<double> run_ms_abnormal;
  // With several runs on a side: the difference of the runs' means, with an interval from what runs
  // differ by. It decides then: cycles of one run share what made that run fast or slow.
  std::optional<stats::Shift> run_shift = {};
  double between_runs_p = std::numeric_limits<double>::quiet_NaN();  // of that; NaN without

  // Beyond chance and drift (with several runs: beyond what runs differ by), by kLeastChange.
  bool is_changed() const;
  bool rises() const { return run_shift ? run_shift->shift > 0 : ms.rises(); }
  bool is_slower() const { return is_changed() && rises(); }
  bool is_faster() const { return is_changed() && !rises(); }
  // By a tenth or more, whether that is beyond chance or not.
  bool differs_much() const;
  // What to print: the shift, unless it does not show what the means show.
  bool shows_means() const;
  const stats::Shift& shown() const;
  double shown_normal_ms() const;
  double shown_abnormal_ms() const;
};

// A measured run. In a comparison, the first of its side.
struct SideFacts {
  std::string label;
  std::string path;
  std::string folder;
  std::size_t runs = 1;  // of its side
  std::vector<RankMeasure> ranks;
};

// Further runs of the two sides.
template <class R>
struct More {
  std::vector<R> normal = {};
  std::vector<R> abnormal = {};
};

enum class RankKey : std::uint8_t { kSuspicion, kRobust, kImpact, kQ };

struct CompareOptions {
  MeasureOptions measure;
  RankKey order = RankKey::kSuspicion;
  std::optional<std::int32_t> only_rank;
  bool align_devices = false;  // pair devices by position if their names differ
  bool is_one_run = false;     // both sides are parts of one run: they share its speed
};

// kShifted: functions changed, the cycle did not. kUnclear: the cycle changed by no more than what
// runs of one program differ by.
enum class Answer : std::uint8_t { kNoChange, kSlower, kFaster, kShifted, kUnclear, kCannotTell };

struct Comparison {
  SideFacts normal;
  SideFacts abnormal;
  std::vector<CycleRow> cycles;        // the most frequent type first
  std::vector<FunctionRow> functions;  // in the requested order
  std::vector<TripletRow> triplets;    // by suspicion (or the requested order), ties by name
  std::vector<MetricRow> metrics;
  std::vector<DeviceRow> devices;
  std::vector<IdleCauseRow> idle;   // in cycles of the most frequent type, the largest shift first
  std::vector<LaunchRow> launches;  // likewise, by rank and device
  RankKey order = RankKey::kSuspicion;  // of functions and triplets
  std::vector<Cause> causes;            // score >= 0.5, most likely first
  std::vector<std::string> quality;     // sentences, worst first
  RunNoise noise;
  Answer answer = Answer::kNoChange;
};

// Every rank of a run, or the selected one.
Result<SideFacts> measure_side(const Run& run, const CompareOptions& options);

// Differences among runs of one side measure the noise.
Result<Comparison> compare_runs(const Run& normal, const Run& abnormal, const More<Run>& more = {},
                                const CompareOptions& options = {});

// Computes everything but causes and answer from measured sides; judge() adds those.
Result<Comparison> compare_measures(SideFacts normal, SideFacts abnormal, More<SideFacts> more,
                                    const CompareOptions& options);

}  // namespace strobe::compare
