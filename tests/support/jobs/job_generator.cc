#include "tests/support/jobs/job_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "strobe/stats/dice.h"
#include "strobe/stats/moments.h"

namespace strobe::fleet {
namespace {

using stats::Dice;
using Positions = std::vector<std::size_t>;

double between(Dice& dice, double low, double high) { return low + (high - low) * dice.share(); }

double log_between(Dice& dice, double low, double high) {
  return std::exp(between(dice, std::log(low), std::log(high)));
}

bool happens(Dice& dice, double chance) { return dice.share() < chance; }

template <class T, std::size_t kSize>
T one_of(Dice& dice, const std::array<T, kSize>& values) {
  return values[dice.below(kSize)];
}

std::int64_t whole(double value) { return std::llround(value); }

enum class Groups : std::uint8_t { kAll, kHosts, kStages };

struct Layout {
  std::size_t hosts = 1;
  std::size_t ranks_per_host = 1;
  std::size_t stages = 1;
  bool are_stages_strided = false;
  Groups groups = Groups::kAll;
  bool on_host = false;
  std::size_t steps = 5;

  std::size_t ranks() const { return hosts * ranks_per_host; }
  std::size_t host_of(std::size_t rank) const { return rank / ranks_per_host; }
  std::size_t stage_of(std::size_t rank) const {
    return are_stages_strided ? rank % stages : rank / (ranks() / stages);
  }
};

Layout any_layout(Dice& dice) {
  Layout layout;
  do {
    layout.ranks_per_host = one_of<std::size_t, 6>(dice, {1, 2, 4, 8, 8, 8});
    layout.hosts = static_cast<std::size_t>(whole(log_between(dice, 0.6, 64.4)));
  } while (layout.hosts == 0 || layout.hosts > 64 || layout.ranks() < 4);
  layout.steps = static_cast<std::size_t>(whole(log_between(dice, 4.6, 60.4)));
  layout.on_host = happens(dice, 0.2);
  const auto stages = one_of<std::size_t, 3>(dice, {2, 4, 8});
  if (happens(dice, 0.35) && layout.ranks() % stages == 0 && layout.ranks() / stages >= 2) {
    layout.stages = stages;
    layout.groups = Groups::kStages;
    layout.are_stages_strided = happens(dice, 0.5);
  } else if (happens(dice, 0.4) && layout.ranks_per_host > 1 && layout.hosts > 1) {
    layout.groups = Groups::kHosts;
  }
  return layout;
}

// What the job is like where nobody is slow.
struct Usual {
  double step_ns = 0;  // of own work
  double compute = 0;  // shares
  double copy = 0;
  double input = 0;
  double in_operators = 0;  // of the host's share
  double transfer = 0;
  double kernels = 0;
  double gaps = 0;
  std::size_t collectives = 0;
  double common_noise = 0;  // of the step, for all ranks
  double slow_noise = 0;    // of a rank, from step to step
  double fast_noise = 0;
  double tail_chance = 0;
  double tail = 0;
  std::vector<double> fixed;       // per rank
  std::vector<double> stage_work;  // per stage
  std::vector<double> stage_kernels;
  std::vector<double> clock_ns;  // per host, its error
};

Usual any_usual(Dice& dice, const Layout& layout) {
  Usual usual;
  usual.step_ns = log_between(dice, 3e7, 8e8);
  usual.compute = layout.on_host ? 0 : between(dice, 0.55, 0.85);
  usual.copy = layout.on_host ? 0 : between(dice, 0.02, 0.06);
  usual.input = between(dice, 0.01, 0.06);
  usual.in_operators = layout.on_host ? between(dice, 0.6, 0.85) : between(dice, 0.1, 0.5);
  usual.transfer = between(dice, 0.05, 0.15);
  usual.kernels = layout.on_host ? 0 : std::floor(log_between(dice, 200, 6000));
  usual.gaps = std::floor(log_between(dice, 30, 300));
  usual.collectives = 3 + dice.below(10);
  usual.common_noise = log_between(dice, 0.003, 0.03);
  usual.slow_noise =
      layout.on_host ? log_between(dice, 0.005, 0.03) : log_between(dice, 0.0005, 0.006);
  usual.fast_noise =
      layout.on_host ? log_between(dice, 0.01, 0.04) : log_between(dice, 0.001, 0.01);
  usual.tail_chance = layout.on_host ? 0.03 : 0.005;
  usual.tail = layout.on_host ? 0.06 : 0.03;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) {
    usual.fixed.push_back(between(dice, -0.008, 0.008));
  }
  for (std::size_t stage = 0; stage < layout.stages; ++stage) {
    const bool is_edge = stage == 0 || stage + 1 == layout.stages;
    usual.stage_work.push_back(1 + between(dice, -0.015, is_edge ? 0.03 : 0.015));
    usual.stage_kernels.push_back(
        std::floor(usual.kernels * usual.stage_work.back() * between(dice, 0.98, 1.02)));
  }
  for (std::size_t host = 0; host < layout.hosts; ++host) {
    usual.clock_ns.push_back(between(dice, -15e3, 15e3));
  }
  return usual;
}

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

StragglerReason any_reason(Dice& dice, bool on_host) {
  if (on_host) {
    return one_of<StragglerReason, 3>(
        dice,
        {StragglerReason::kHostStretch, StragglerReason::kHostOperators, StragglerReason::kInput});
  }
  return one_of<StragglerReason, 6>(
      dice,
      {StragglerReason::kLongerKernels, StragglerReason::kMoreWork, StragglerReason::kHostStretch,
       StragglerReason::kHostContention, StragglerReason::kInput, StragglerReason::kCopies});
}

// Whether such a straggler can be told from others in such a job at all.
bool fits(StragglerKind kind, const Layout& layout) {
  switch (kind) {
    case StragglerKind::kHost:
      return layout.hosts > 1 && layout.ranks_per_host > 1 &&
             (layout.stages == 1 || layout.are_stages_strided) &&
             (!layout.are_stages_strided || layout.ranks() / layout.stages > layout.ranks_per_host);
    case StragglerKind::kStage:
      return layout.stages > 2;
    case StragglerKind::kWandering:
      return layout.ranks() / layout.stages >= 4 && layout.steps >= 8;
    case StragglerKind::kNetwork:
      return layout.stages == 1 && layout.steps >= 10;
    case StragglerKind::kRank:
    case StragglerKind::kBadStep:
      return true;
  }
  return true;
}

Positions ranks_where(const Layout& layout, auto is_one) {
  Positions ranks;
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) {
    if (is_one(rank)) ranks.push_back(rank);
  }
  return ranks;
}

PlantedStraggler any_straggler(Dice& dice, StragglerKind kind, const Layout& layout) {
  PlantedStraggler one;
  one.kind = kind;
  one.reason = any_reason(dice, layout.on_host);
  one.end_step = layout.steps;
  if (kind != StragglerKind::kBadStep && layout.steps >= 12 && happens(dice, 0.25)) {
    one.first_step = layout.steps / 5 + dice.below(layout.steps * 2 / 5);
  }
  one.size = log_between(dice, layout.on_host ? 0.15 : 0.05, 0.8);
  if (one.first_step > 0) one.size = std::max(one.size, layout.on_host ? 0.25 : 0.08);
  switch (kind) {
    case StragglerKind::kRank:
      one.ranks = {dice.below(layout.ranks())};
      break;
    case StragglerKind::kHost: {
      const std::size_t host = dice.below(layout.hosts);
      one.ranks =
          ranks_where(layout, [&](std::size_t rank) { return layout.host_of(rank) == host; });
      break;
    }
    case StragglerKind::kStage: {
      const std::size_t stage = dice.below(layout.stages);
      one.ranks =
          ranks_where(layout, [&](std::size_t rank) { return layout.stage_of(rank) == stage; });
      one.size = std::max(one.size, 0.12);
      break;
    }
    case StragglerKind::kWandering:
      one.first_step = 0;
      one.reason = layout.on_host || happens(dice, 0.25) ? StragglerReason::kHostStretch
                   : happens(dice, 0.5)                  ? StragglerReason::kMoreWork
                                                         : StragglerReason::kLongerKernels;
      one.size = log_between(dice, one.reason == StragglerReason::kHostStretch ? 0.4 : 0.15, 1);
      break;
    case StragglerKind::kBadStep: {
      one.first_step = 1 + dice.below(layout.steps - 1);
      one.end_step = one.first_step + 1;
      one.reason = StragglerReason::kHostStretch;
      one.size = std::max(log_between(dice, 1, 20), 0.06 * static_cast<double>(layout.steps));
      const bool is_all = happens(dice, 0.4);
      const std::size_t rank = dice.below(layout.ranks());
      one.ranks = ranks_where(layout, [&](std::size_t r) { return is_all || r == rank; });
      break;
    }
    case StragglerKind::kNetwork: {
      one.reason = StragglerReason::kTransfers;
      one.size = log_between(dice, layout.on_host ? 0.25 : 0.12, 0.8);
      if (layout.groups == Groups::kHosts && layout.hosts >= 4 && happens(dice, 0.6)) {
        const std::size_t host = dice.below(layout.hosts);
        one.ranks =
            ranks_where(layout, [&](std::size_t rank) { return layout.host_of(rank) == host; });
        one.first_step = 0;
      } else {
        const std::size_t length = std::max<std::size_t>(3, layout.steps / 4);
        one.first_step = dice.below(layout.steps - length);
        one.end_step = one.first_step + length;
      }
      break;
    }
  }
  return one;
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
    std::uint64_t collectives = 0;
    std::uint64_t last = 0;
    std::vector<double> lateness_ns;
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
    double waited = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      Account& account = accounts_[group[i]];
      // What another host's clock says of the last arrival is wrong by the clocks' errors.
      const double error = usual_.clock_ns[layout_.host_of(group[last])] -
                           usual_.clock_ns[layout_.host_of(group[i])];
      const double wait = std::clamp(came[last] - came[i] + (i == last ? 0 : error), 0.0,
                                     came[last] - came[i] + transfer);
      account.wait_ns += wait;
      account.transfer_ns += came[last] - came[i] + transfer - wait;
      account.lateness_ns.push_back(came[i] - middle);
      ++account.collectives;
      waited += wait;
      now_ns_[group[i]] = came[last] + transfer;
    }
    accounts_[group[last]].caused_ns += waited;
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
    step.lateness_ns = whole(stats::median_of(account.lateness_ns));
    step.caused_wait_ns = whole(account.caused_ns);
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

GeneratedJob generated(std::optional<StragglerKind> kind, std::uint64_t seed) {
  Dice dice(seed);
  Layout layout = any_layout(dice);
  while (kind && !fits(*kind, layout)) layout = any_layout(dice);
  const Usual usual = any_usual(dice, layout);
  GeneratedJob made;
  if (kind) made.planted = any_straggler(dice, *kind, layout);
  made.job = Play(dice, layout, usual, made.planted).job();
  return made;
}

}  // namespace

GeneratedJob clean_job(std::uint64_t seed) { return generated({}, seed); }
GeneratedJob job_with(StragglerKind kind, std::uint64_t seed) { return generated(kind, seed); }

}  // namespace strobe::fleet
