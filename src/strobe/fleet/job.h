#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/interval.h"
#include "strobe/fleet/clocks/clocks.h"
#include "strobe/fleet/digest/rank_digest.h"
#include "strobe/fleet/matching/matching.h"

// A job of many ranks on one clock: what each rank did in each step, and how long it waited for the
// others. Everything that judges or shows a job starts from here.
namespace strobe::fleet {

// One rank in one step. The parts add up to the step, exactly.
struct RankStep {
  std::int64_t start_ns = 0;  // on the common clock
  std::int64_t end_ns = 0;

  // The rank's own work. Each nanosecond has the first of these labels that fits.
  std::int64_t compute_ns = 0;  // its device computes
  std::int64_t copy_ns = 0;     // its device copies or sets memory
  std::int64_t input_ns = 0;    // its device is idle while the host loads data
  std::int64_t host_ns = 0;     // its device is idle for another reason, or there is none
  // In collectives, where its device computes nothing meanwhile.
  std::int64_t wait_ns = 0;      // until the last rank arrived
  std::int64_t transfer_ns = 0;  // from then on

  // Of the work above: what makes it comparable between ranks.
  std::uint64_t kernels = 0;
  std::int64_t longest_host_gap_ns = 0;  // the longest stretch of host_ns at once
  std::uint64_t host_gaps = 0;           // such stretches

  std::uint64_t collectives = 0;  // matched, in which it took part
  std::uint64_t last = 0;         // in which it came last
  // Its arrival after the median arrival of the others: the mean over the step's collectives.
  std::int64_t lateness_ns = 0;
  std::int64_t caused_wait_ns = 0;  // what all others waited while it was the last
  // Of that: what they would not have waited, had it come together with the next to last.
  std::int64_t held_up_ns = 0;

  // Of host_ns: while an operator of the program runs on the host. The rest is between operators.
  std::int64_t in_operators_ns = 0;

  std::int64_t own_ns() const;  // its own work
};

struct RankOfJob {
  std::int32_t rank = 0;
  std::string file;
  std::string host;                         // empty: not known
  std::optional<std::int32_t> stage;        // of a pipeline, where the trace says so
  std::vector<RankStep> steps;              // parallel to Job::steps
  std::vector<std::size_t> own_steps = {};  // the same in its digest's steps

  std::size_t exchanges = 0;       // matched, in which it takes part
  std::size_t recorded_steps = 0;  // in its trace, of which other ranks may lack some
  std::string first_step;
  std::string last_step;
};

// Collectives of one kind and size, over the whole job.
struct CollectiveRow {
  std::string group;
  std::string kind;         // "all_reduce"
  std::uint64_t bytes = 0;  // per rank; 0: not known
  std::size_t ranks = 0;    // that take part in one
  bool on_host = false;
  std::uint64_t matched = 0;
  std::int64_t wait_ns = 0;      // of all ranks together
  std::int64_t transfer_ns = 0;  // of all ranks together
  std::int64_t median_transfer_ns = 0;
  std::int64_t longest_transfer_ns = 0;
  std::vector<std::int64_t> transfer_by_step;  // the median of each step's; parallel to Job::steps

  double bus_factor = 1;  // bus bandwidth / algorithm bandwidth
  // At the median transfer; 0: not known.
  double algorithm_bytes_per_s() const;
  double bus_bytes_per_s() const { return bus_factor * algorithm_bytes_per_s(); }
};

inline constexpr std::uint32_t kNoStep = UINT32_MAX;

// One rank's part in an exchange, on the common clock.
struct Arrival {
  std::uint32_t rank = 0;        // in Job::ranks
  std::uint32_t call = 0;        // in its digest's calls
  std::uint32_t step = kNoStep;  // in Job::steps, in which it came
  Interval interval;             // from its arrival to its end
  std::int64_t wait_ns = 0;      // until the last rank arrived; the rest is transfer
};

struct Exchange {
  std::uint32_t row = 0;                // in Job::collectives: its kind and size
  std::int64_t sequence = kNoSequence;  // within its group
  std::uint32_t step = kNoStep;         // that of the rank that came last
  std::int64_t median_transfer_ns = 0;  // of its ranks
  std::size_t first_arrival = 0;        // in Job::arrivals
  std::size_t arrival_count = 0;        // by rank
};

struct Job {
  std::vector<std::string> steps;  // names, in order; every rank has each of them
  std::vector<RankOfJob> ranks;    // by rank
  std::vector<CollectiveRow> collectives;
  std::vector<Mismatch> mismatches = {};  // worst first
  Clocks clocks = {};

  // Every matched exchange; only where JobOptions asks for them, because there are many.
  std::vector<Exchange> exchanges = {};
  std::vector<Arrival> arrivals = {};
  std::span<const Arrival> arrivals_of(const Exchange& exchange) const {
    return std::span(arrivals).subspan(exchange.first_arrival, exchange.arrival_count);
  }
};

// Those in the names of its steps: "ProfilerStep#7" is 7. Where they have none that ascend, steps
// are counted from 0.
std::vector<std::int64_t> step_numbers(const Job& job);

}  // namespace strobe::fleet
