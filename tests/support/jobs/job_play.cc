#include "tests/support/jobs/job_play.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

using stats::Dice;

// A rank's own work in a step.
struct Work {
  double compute_ns = 0;
  double copy_ns = 0;
  double input_ns = 0;
  double host_ns = 0;
  double in_operators_ns = 0;
  double kernels = 0;
  double gaps = 0;
  double longest_gap_ns = 0;

  double total_ns() const { return compute_ns + copy_ns + input_ns + host_ns; }
  void add_stretch(double stretch_ns) {
    host_ns += stretch_ns;
    longest_gap_ns = std::max(longest_gap_ns, stretch_ns);
    gaps += 1;
  }
};

Work usual_work(Dice& dice, const Layout& layout, const Usual& usual, std::size_t rank,
                std::size_t step, double factor) {
  const std::size_t stage = layout.stage_of(rank);
  const double all_ns = usual.step_ns * factor * usual.stage_work[stage];
  const auto wobble = [&] { return std::exp(usual.fast_noise * dice.normal()); };
  Work work;
  work.compute_ns = all_ns * usual.compute * wobble();
  work.copy_ns = all_ns * usual.copy * wobble();
  work.input_ns = all_ns * usual.input * wobble() * std::exp(0.1 * dice.normal());
  work.host_ns = all_ns * (1 - usual.compute - usual.copy - usual.input) * wobble();
  work.in_operators_ns = work.host_ns * usual.in_operators;
  work.kernels = usual.stage_kernels[stage];
  work.gaps = std::floor(usual.gaps * std::exp(0.05 * dice.normal()));
  work.longest_gap_ns = work.host_ns / usual.gaps * between(dice, 2, 5);
  if (happens(dice, usual.tail_chance)) {
    work.add_stretch(-std::log(dice.share()) * usual.tail * usual.step_ns);
  }
  if (rank == 0) {  // it logs, and now and then writes
    work.host_ns += 0.005 * usual.step_ns;
    if (step % 10 == 7) work.add_stretch(0.03 * usual.step_ns);
  }
  return work;
}

void make_slow(Dice& dice, StragglerReason reason, double more_ns, Work& work) {
  more_ns *= between(dice, 0.9, 1.1);
  const double times = 1 + more_ns / work.total_ns();
  switch (reason) {
    case StragglerReason::kLongerKernels:
      work.compute_ns += more_ns;
      break;
    case StragglerReason::kMoreWork:
      work.compute_ns *= times;
      work.copy_ns *= times;
      work.host_ns *= times;
      work.in_operators_ns *= times;
      work.input_ns *= times;
      work.gaps *= times;
      work.kernels = std::floor(work.kernels * times);
      break;
    case StragglerReason::kHostStretch:
      work.add_stretch(more_ns);
      break;
    case StragglerReason::kHostContention: {
      const double gaps = work.gaps;
      work.host_ns += more_ns;
      work.gaps *= between(dice, 1.2, 3);
      work.longest_gap_ns = std::max(work.longest_gap_ns, more_ns / gaps * between(dice, 2, 4));
      break;
    }
    case StragglerReason::kHostOperators:
      work.host_ns += more_ns;
      work.in_operators_ns += 0.9 * more_ns;
      break;
    case StragglerReason::kInput:
      work.input_ns += more_ns;
      break;
    case StragglerReason::kCopies:
      work.copy_ns += more_ns;
      break;
    case StragglerReason::kTransfers:
    case StragglerReason::kUnknown:
      break;
  }
}

// The job as it runs: each rank's clock goes on by work, waiting and transfers.
class Play {
 public:
  Play(Dice& dice, const Layout& layout, const Usual& usual,
       const std::optional<PlantedStraggler>& planted)
      : dice_(dice), layout_(layout), usual_(usual), planted_(planted), slow_(layout.ranks()) {}

  Job job() {
    Job job;
    for (std::size_t rank = 0; rank < layout_.ranks(); ++rank) {
      RankOfJob& one = job.ranks.emplace_back();
      one.rank = static_cast<std::int32_t>(rank);
      one.file = "rank" + std::to_string(rank) + ".json";
      one.host = "host" + std::to_string(layout_.host_of(rank));
      if (layout_.stages > 1) one.stage = static_cast<std::int32_t>(layout_.stage_of(rank));
    }
    now_ns_.assign(layout_.ranks(), 0);
    double common = 0;
    for (step_ = 0; step_ < layout_.steps; ++step_) {
      job.steps.push_back("step " + std::to_string(step_));
      common = 0.6 * common + usual_.common_noise * dice_.normal();
      play_step(std::exp(common));
      for (std::size_t rank = 0; rank < layout_.ranks(); ++rank) {
        job.ranks[rank].steps.push_back(rank_step(rank));
      }
    }
    for (auto& [name, row] : rows_) job.collectives.push_back(std::move(row));
    return job;
  }

 private:
  struct Account {
    double start_ns = 0;
    double wait_ns = 0;
    double transfer_ns = 0;
    double caused_ns = 0;
    double held_up_ns = 0;
    std::uint64_t collectives = 0;
    std::uint64_t last = 0;
    double lateness_ns = 0;  // of all its collectives
  };

  bool is_planted_now() const {
    return planted_ && step_ >= planted_->first_step && step_ < planted_->end_step;
  }

  void plant(Positions& wanderers) {
    if (!is_planted_now()) return;
    const Positions& ranks =
        planted_->kind == StragglerKind::kWandering ? wanderers : planted_->ranks;
    if (planted_->reason == StragglerReason::kTransfers) return;
    for (const std::size_t rank : ranks) {
      make_slow(dice_, planted_->reason, planted_->size * usual_.step_ns, work_[rank]);
    }
  }

  void play_step(double common) {
    work_.clear();
    accounts_.assign(layout_.ranks(), {});
    for (std::size_t rank = 0; rank < layout_.ranks(); ++rank) {
      slow_[rank] = 0.7 * slow_[rank] + usual_.slow_noise * dice_.normal();
      const double factor = common * (1 + usual_.fixed[rank]) * std::exp(slow_[rank]);
      work_.push_back(usual_work(dice_, layout_, usual_, rank, step_, factor));
      accounts_[rank].start_ns = now_ns_[rank];
    }
    Positions wanderers = {dice_.below(layout_.ranks())};
    plant(wanderers);
    if (layout_.groups == Groups::kStages) {
      play_pipeline();
    } else {
      for (std::size_t i = 0; i < usual_.collectives; ++i) {
        do_work(1.0 / static_cast<double>(usual_.collectives), i == 0);
        if (layout_.groups == Groups::kHosts && i + 1 < usual_.collectives) {
          meet_in_hosts();
        } else {
          meet(all_ranks(), "all", "all_reduce", 1 << 20);
        }
      }
    }
  }

  // A stretch at once is before the first collective, everything else is spread.
  void do_work(double share, bool is_first) {
    for (std::size_t rank = 0; rank < layout_.ranks(); ++rank) {
      const Work& work = work_[rank];
      const double at_once = work.longest_gap_ns;
      now_ns_[rank] += (work.total_ns() - at_once) * share + (is_first ? at_once : 0);
    }
  }

  Positions all_ranks() const {
    Positions ranks(layout_.ranks());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    return ranks;
  }

  void meet_in_hosts() {
    for (std::size_t host = 0; host < layout_.hosts; ++host) {
      meet(ranks_where(layout_, [&](std::size_t rank) { return layout_.host_of(rank) == host; }),
           "host group " + std::to_string(host), "all_gather", 1 << 16);
    }
  }

  double transfer_ns(const Positions& group) {
    double share = usual_.transfer * std::exp(0.08 * dice_.normal());
    if (is_planted_now() && planted_->reason == StragglerReason::kTransfers) {
      if (planted_->ranks.empty() || planted_->ranks == group) share += planted_->size;
    }
    return usual_.step_ns * share / static_cast<double>(usual_.collectives);
  }

  void meet(const Positions& group, const std::string& name, const std::string& kind,
            std::uint64_t bytes) {
    const double transfer = transfer_ns(group);
    std::vector<double> came;
    for (const std::size_t rank : group) came.push_back(now_ns_[rank]);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(came) - came.begin());
    const double middle = stats::median_of(came);
    double next = came[last == 0 ? group.size() - 1 : 0];
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (i != last) next = std::max(next, came[i]);
    }
    double waited = 0;
    double held_up = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      Account& account = accounts_[group[i]];
      // What another host's clock says of the last arrival is wrong by the clocks' errors.
      const double error = usual_.clock_ns[layout_.host_of(group[last])] -
                           usual_.clock_ns[layout_.host_of(group[i])];
      const double wait = std::clamp(came[last] - came[i] + (i == last ? 0 : error), 0.0,
                                     came[last] - came[i] + transfer);
      account.wait_ns += wait;
      account.transfer_ns += came[last] - came[i] + transfer - wait;
      account.lateness_ns += came[i] - middle;
      ++account.collectives;
      waited += wait;
      held_up += std::min(wait, came[last] - next);
      now_ns_[group[i]] = came[last] + transfer;
    }
    accounts_[group[last]].caused_ns += waited;
    accounts_[group[last]].held_up_ns += held_up;
    ++accounts_[group[last]].last;
    add_row(group, name, kind, bytes, waited, transfer);
  }

  void add_row(const Positions& group, const std::string& name, const std::string& kind,
               std::uint64_t bytes, double waited, double transfer) {
    CollectiveRow& row = rows_[name];
    row.group = name;
    row.kind = kind;
    row.bytes = bytes;
    row.ranks = group.size();
    row.on_host = layout_.on_host;
    ++row.matched;
    row.wait_ns += whole(waited);
    row.transfer_ns += whole(transfer * static_cast<double>(group.size()));
    row.longest_transfer_ns = std::max(row.longest_transfer_ns, whole(transfer));
    row.median_transfer_ns = whole(transfer);
    row.transfer_by_step.resize(layout_.steps);
    row.transfer_by_step[step_] = whole(transfer);
  }

  // Forward through the stages and back again, in micro-batches; then the stages' ranks meet, and
  // all.
  void play_pipeline() {
    constexpr std::size_t kMicroBatches = 6;
    const std::size_t columns = layout_.ranks() / layout_.stages;
    std::vector<Positions> stages(layout_.stages);
    for (std::size_t rank = 0; rank < layout_.ranks(); ++rank) {
      stages[layout_.stage_of(rank)].push_back(rank);
    }
    for (const bool is_forward : {true, false}) {
      for (std::size_t batch = 0; batch < kMicroBatches; ++batch) {
        for (std::size_t i = 0; i < layout_.stages; ++i) {
          const std::size_t stage = is_forward ? i : layout_.stages - 1 - i;
          for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t rank = stages[stage][column];
            if (i > 0) {
              const std::size_t from = stages[is_forward ? stage - 1 : stage + 1][column];
              receive(from, rank, batch);
            }
            const Work& work = work_[rank];
            now_ns_[rank] += (work.total_ns() - work.longest_gap_ns) / (2 * kMicroBatches);
            if (is_forward && batch == 0) now_ns_[rank] += work.longest_gap_ns;
            sent_ns_[{rank, batch}] = now_ns_[rank];
          }
        }
      }
    }
    for (std::size_t stage = 0; stage < layout_.stages; ++stage) {
      meet(stages[stage], "stage " + std::to_string(stage), "reduce_scatter", 1 << 24);
    }
    meet(all_ranks(), "all", "all_reduce", 8);
  }

  void receive(std::size_t from, std::size_t rank, std::size_t batch) {
    const double waited = sent_ns_[{from, batch}] - now_ns_[rank];
    ++accounts_[rank].collectives;
    if (waited <= 0) {
      ++accounts_[rank].last;
      return;
    }
    accounts_[rank].wait_ns += waited;
    accounts_[from].caused_ns += waited;
    accounts_[from].held_up_ns += waited;
    now_ns_[rank] += waited;
  }

  RankStep rank_step(std::size_t rank) const {
    const Work& work = work_[rank];
    const Account& account = accounts_[rank];
    RankStep step;
    step.start_ns = whole(account.start_ns);
    step.compute_ns = whole(work.compute_ns);
    step.copy_ns = whole(work.copy_ns);
    step.input_ns = whole(work.input_ns);
    step.host_ns = whole(work.host_ns);
    step.wait_ns = whole(account.wait_ns);
    step.transfer_ns = whole(account.transfer_ns);
    step.end_ns = step.start_ns + step.own_ns() + step.wait_ns + step.transfer_ns;
    step.in_operators_ns = whole(work.in_operators_ns);
    step.kernels = static_cast<std::uint64_t>(work.kernels);
    step.host_gaps = static_cast<std::uint64_t>(work.gaps);
    step.longest_host_gap_ns = whole(work.longest_gap_ns);
    step.collectives = account.collectives;
    step.last = account.last;
    step.lateness_ns = whole(account.lateness_ns /
                             static_cast<double>(std::max<std::uint64_t>(1, account.collectives)));
    step.caused_wait_ns = whole(account.caused_ns);
    step.held_up_ns = whole(account.held_up_ns);
    return step;
  }

  Dice& dice_;
  const Layout& layout_;
  const Usual& usual_;
  const std::optional<PlantedStraggler>& planted_;
  std::vector<double> slow_;  // per rank: how much slower it is just now
  std::vector<double> now_ns_;
  std::vector<Work> work_;
  std::vector<Account> accounts_;
  std::map<std::pair<std::size_t, std::size_t>, double> sent_ns_;
  std::map<std::string, CollectiveRow> rows_;
  std::size_t step_ = 0;
};

}  // namespace

Job played(Dice& dice, const Layout& layout, const Usual& usual,
           const std::optional<PlantedStraggler>& planted) {
  return Play(dice, layout, usual, planted).job();
}

}  // namespace strobe::fleet
