#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strobe/fleet/job.h"
#include "strobe/fleet/stragglers/stragglers.h"

// The parts of find_stragglers(): one rule per kind, over the same tables.
namespace strobe::fleet {

using Positions = std::vector<std::size_t>;  // of ranks or steps

// That a rule names a straggler in a job without one, for each kind.
inline constexpr double kChance = 0.001;

// What is read of a rank in a step.
using Quantity = std::function<double(const RankStep&)>;

// Ranks that may be slow together.
struct Party {
  std::string host;
  std::optional<std::int32_t> stage;
  Positions ranks;
};

// A job, arranged for the rules.
struct JobView {
  explicit JobView(const Job& job);

  const RankStep& at(std::size_t rank, std::size_t step) const;
  bool meets_on_host() const;  // most collectives run there
  // The least share of the job's time that a straggler takes.
  double least_share() const;

  const Job* job;
  std::size_t ranks;
  std::size_t steps;
  std::vector<Party> stages;          // one if the job has no pipeline
  std::vector<std::size_t> stage_of;  // per rank
  std::vector<Party> hosts;           // empty if not known
  std::vector<double> step_ns;        // the median length over the ranks
  double usual_step_ns = 0;
  double total_ns = 0;             // of all ranks in all steps
  Positions usual_steps;           // all that are not bad
  std::vector<bool> is_explained;  // per rank: it is part of a straggler already
};

// How much of something one party has in each usual step beyond its peers, in usual steps.
struct Excess {
  Positions ranks;
  std::vector<double> shares;    // parallel to JobView::usual_steps
  std::vector<double> peers_ns;  // likewise
};

// An excess that is no accident.
struct Evidence {
  bool is_clear = false;
  std::size_t begin = 0;  // in JobView::usual_steps
  std::size_t end = 0;
  std::size_t late = 0;
  double share = 0;  // of a step, median
  double p = 1;
};

// Judges all parties of one kind together: each is also compared with how much the others differ.
// `least` is the smallest share of a step that counts.
std::vector<Evidence> weigh(const std::vector<Excess>& parties, double least);

// Per usual step and rank of the party, a lower quantile of value minus that of the stage.
std::vector<Excess> host_excess(const JobView& view, const Quantity& quantity);

// The median distance from a center, as the deviation of a normal distribution.
double robust_deviation(std::span<const double> values, double center);

double median_over(const JobView& view, const Positions& ranks, std::size_t step,
                   const Quantity& quantity);
double own_of(const RankStep& step);
double transfer_of(const RankStep& step);

// Fills in what a straggler with these ranks and steps has more than its peers.
ExtraWork extra_work(const JobView& view, const Positions& ranks, const Positions& steps);
// The same against the usual steps of the same ranks.
ExtraWork extra_in_step(const JobView& view, const Positions& ranks, std::size_t step);
StragglerReason reason_of(const ExtraWork& extra);

// What the others waited in a step for one slow rank after the next to last had come, or while one
// of several slow ranks was last, beyond what they wait for a typical rank; and no less than the
// time by which these were later than every peer: groups of few ranks pass a delay on, and their
// members are then the last in other groups. A whole stage has all other ranks as peers.
double lost_by(const JobView& view, const Positions& slow, std::size_t step, bool is_stage);
// The share of the job's time lost per step [s] is lost_ns[s]; fills in the share and its interval.
void set_lost(const JobView& view, std::span<const double> lost_ns, std::size_t first,
              std::size_t end, Straggler& straggler);
void set_collectives(const JobView& view, Straggler& straggler);
void set_place(const JobView& view, Straggler& straggler);

// Each takes its findings out of what is left for the next one.
std::vector<Straggler> bad_steps(JobView& view);
std::vector<Straggler> slow_parties(JobView& view);
std::vector<Straggler> slow_networks(const JobView& view);
std::vector<Straggler> wandering_ranks(const JobView& view);

}  // namespace strobe::fleet
