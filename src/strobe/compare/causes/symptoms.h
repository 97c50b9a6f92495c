#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/compare/comparison.h"
#include "strobe/device/vendor_names.h"

namespace strobe::compare {

// The input of the cause rules: a comparison from the view of one rank, as sums and ratios.

// Beyond chance, even if neighbouring cycles are correlated.
bool is_real(const Change& change);
// Such a change, to at least (at most) this multiple of the normal value.
bool rose(const Change& change, double least_ratio);
bool fell(const Change& change, double most_ratio);

// Both runs call it about equally often. Device work may be counted where it runs or where it is
// launched: a host that is further ahead moves it to later cycles, and does not add any.
bool calls_are_equal(const FunctionRow& row);
bool are_equal_calls(double normal, double abnormal);  // per cycle
// How many times as often the abnormal run calls it.
double calls_factor(const FunctionRow& row);

// Milliseconds per cycle of several functions together.
Change total_ms(std::span<const FunctionRow* const> rows);
// Idle milliseconds per cycle of several causes together.
Change total_ms(std::span<const IdleCauseRow* const> rows);

// How functions that both runs call equally often have changed. Kernels are weighted by their
// normal time; operators equally, because they nest, and one that waits for the device would
// outweigh all others.
struct Slowdowns {
  double total = 0;  // weight of all functions, even if their calls differ
  // The share of it, 0..1, whose calls take longer by a factor within a window, beyond chance.
  double share_between(double low, double high) const;
  double median() const;  // weighted; 1 if there are none

  struct One {
    double factor = 1;
    double weight = 0;
    bool is_real = false;
  };
  std::vector<One> ones = {};  // by factor
};

struct DeviceSymptoms {
  const DeviceRow* row = nullptr;
  std::string chip;  // as the trace calls it; may be ""
  std::vector<const FunctionRow*> kernels;
  std::vector<const FunctionRow*> collectives;
  std::vector<const FunctionRow*> copies;
  Change kernel_ms;
  Slowdowns slowdowns;
  // Absolute milliseconds by which kernels changed: in total, and of kernels that are new, gone or
  // called more or less often.
  double changed_ms = 0;
  double other_work_ms = 0;
  // Of the kernels in both runs, the share launched with another number of blocks. Kernels are
  // counted, not weighted by time: the blocks of some depend only on the size of the device.
  double resized_share = 0;
  // The share of the kernels' time in those whose time changed with their blocks.
  double rescaled_time_share = 0;
  // Other kernels for most of the work are another program, whatever the sizes of the rest.
  bool has_same_kernels = true;

  const std::string& name() const { return row->device; }
  // By how much the device's time per cycle changed, if that is not the cycle's: the device goes on
  // long after the cycles. NaN otherwise.
  double own_change_ms() const;
};

struct HostSymptoms {
  std::vector<const FunctionRow*> operators;
  std::vector<const FunctionRow*> runtime_calls;
  // Operators of the framework. The ranges around them are longer whatever is slow inside, so they
  // count only in a trace without operators.
  Slowdowns operator_slowdowns;
  // Per cycle.
  double launches_normal = 0;  // calls that launch work, of whatever amount
  double launches_abnormal = 0;
  double synchronizations_normal = 0;
  double synchronizations_abnormal = 0;
  double allocations_normal = 0;  // allocations and frees
  double allocations_abnormal = 0;
  Change synchronize_ms;
  Change allocate_ms;
  Change input_ms;  // data loading
  Change disk_ms;   // reads and writes, measured by the operating system
  Change queue_ms;  // waiting for a core, likewise
};

struct Symptoms {
  const Comparison* comparison = nullptr;
  std::int32_t rank = 0;
  const CycleRow* cycle = nullptr;
  double cycle_change_ms = 0;  // as printed
  bool has_frames = false;     // both traces have those of the script
  std::vector<DeviceSymptoms> devices;
  HostSymptoms host;
  std::vector<const IdleCauseRow*> idle;  // of this rank
  // The factor by which the calls of nearly all functions changed; 1 if there is no such factor.
  double common_calls_factor = 1;

  // Beyond noise, or by so much that its cause may show whether it is.
  bool is_slower() const;
  bool is_faster() const;
  // The cycle's change is more than what equal runs differ by.
  bool is_beyond_noise() const;
  // The metric with this role on a device or on kHostDevice; null if it was not sampled.
  const MetricRow* metric(device::MetricRole role, std::string_view device) const;
  // How long launched work waits on a device; null if the launches are not known.
  const LaunchRow* launches(std::string_view device) const;
  // "", or " on rank 3" when there are several.
  std::string place() const;
};

Symptoms read_symptoms(const Comparison& comparison, std::int32_t rank);

// The host as a device: busy in operators and calls, idle outside of them. Null if it has no row.
const DeviceRow* host_row(const Symptoms& symptoms);

// Every device goes on long after the cycles, in both runs: the host never waits for it, and the
// cycle is the host's time. The idle time of the devices says nothing about it.
bool cycle_is_host_time(const Symptoms& symptoms);

// Idle milliseconds per cycle although the next work was launched already. Null unless they rose
// (fell) beyond chance, by a real part of the cycle.
const Change* longer_wait_of_work(const Symptoms& symptoms);
const Change* shorter_wait_of_work(const Symptoms& symptoms);

// The kernels of every device take as long as before, as far as can be told.
bool kernels_are_equal(const Symptoms& symptoms);
// Or what they take more or less is a small part of the cycle's change.
bool kernels_are_no_reason(const Symptoms& symptoms);

// Time of the process spent waiting for a core, by its own counter or by slices of the operating
// system. Shares of the time.
struct Queueing {
  bool is_known = false;
  double normal_share = 0;
  double abnormal_share = 0;
  bool grew = false;
  bool shrank = false;
  // As the tables print them.
  double shown_normal_share = 0;
  double shown_abnormal_share = 0;
};
Queueing queueing(const Symptoms& symptoms);

}  // namespace strobe::compare
