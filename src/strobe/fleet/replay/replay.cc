#include "strobe/fleet/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "strobe/fleet/replay/dependency_graph.h"
#include "strobe/fleet/replay/what_if.h"

namespace strobe::fleet {
namespace {

constexpr double kWorstShare = 0.03;

// The kinds as people see them: both ends of a transfer between stages are one.
std::string_view kind_of(OpType type) {
  switch (type) {
    case OpType::kForwardSend:
    case OpType::kForwardRecv:
      return "forward-pp-comm";
    case OpType::kBackwardSend:
    case OpType::kBackwardRecv:
      return "backward-pp-comm";
    default:
      return name_of(type);
  }
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class JobReplay {
 public:
  JobReplay(const OperationTable& table, const DependencyGraph& graph)
      : table_(table),
        times_(times_of(table, graph)),
        what_if_(table, graph),
        all_{.lanes = table.lanes(), .company = table.data_ranks.size()} {}

  Result<Replay> run() {
    replay_.name = table_.name;
    replay_.sizes = table_.sizes;
    replay_.operations = table_.start_s.size();
    replay_steps();
    if (replay_.ideal_s <= 0) return no_optimizer();
    replay_kinds();
    replay_stages();
    replay_data_ranks();
    score_workers();
    const std::ptrdiff_t worst =
        std::max(1L, std::lround(kWorstShare * static_cast<double>(replay_.workers.size())));
    replay_.worst_workers = repaired({replay_.workers.begin(), replay_.workers.begin() + worst});
    replay_.last_stage = repaired(workers_of(table_.sizes.stages - 1));
    for (std::vector<PartReplay>* parts : {&replay_.kinds, &replay_.stages, &replay_.data_ranks}) {
      std::ranges::stable_sort(*parts, std::greater<>(), &PartReplay::slowdown);
    }
    return std::move(replay_);
  }

 private:
  std::span<const double> recorded(std::uint32_t operation) const {
    return std::span(times_.transfer_s).subspan(operation * all_.lanes, all_.lanes);
  }

  void replay_steps() {
    const auto record = [&](std::uint32_t operation, std::span<double> times_s) {
      std::ranges::copy(recorded(operation), times_s.begin());
    };
    const std::vector<double> recorded_s = what_if_.run(all_, times_.delay_s, record);
    const std::vector<double> without_delays_s = what_if_.run(all_, {}, record);
    // Ideal workers are all alike, in all steps.
    replay_.ideal_s = what_if_
                          .run({.lanes = 1, .company = 1}, {},
                               [&](std::uint32_t operation, std::span<double> times_s) {
                                 times_s.front() = times_.ideal_s[operation];
                               })
                          .front();
    for (std::size_t i = 0; i < table_.steps.size(); ++i) {
      replay_.steps.push_back(
          {table_.steps[i], recorded_s[i], without_delays_s[i], replay_.ideal_s});
    }
    replay_.recorded_s = mean_of(recorded_s);
    replay_.without_delays_s = mean_of(without_delays_s);
  }

  Error no_optimizer() const {
    return {.code = ErrorCode::kTooLittleData,
            .what = "a step ends with its last optimizer, and no optimizer takes any time",
            .where = {},
            .hint = "write the operations of type 'optimizer' into the table"};
  }

  // Ideal, but for operations of which `keeps` is true.
  template <class Keeps>
  PartReplay part(std::string name, Keeps&& keeps) {
    return finished(std::move(name),
                    what_if_.run(all_, {}, [&](std::uint32_t operation, std::span<double> times_s) {
                      if (keeps(table_.operations[operation])) {
                        std::ranges::copy(recorded(operation), times_s.begin());
                      } else {
                        std::ranges::fill(times_s, times_.ideal_s[operation]);
                      }
                    }));
  }

  PartReplay finished(std::string name, std::vector<double> ends_s) const {
    for (double& end_s : ends_s) end_s /= replay_.ideal_s;
    return {.name = std::move(name), .slowdown = mean_of(ends_s), .by_step = std::move(ends_s)};
  }

  void replay_kinds() {
    std::vector<std::string_view> kinds;
    for (const Operation& operation : table_.operations) {
      const std::string_view kind = kind_of(operation.type);
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
    for (const std::string_view kind : kinds) {
      replay_.kinds.push_back(part(std::string(kind), [&](const Operation& operation) {
        return kind_of(operation.type) == kind;
      }));
    }
  }

  void replay_stages() {
    for (std::int32_t stage = 0; stage < table_.sizes.stages; ++stage) {
      replay_.stages.push_back(part(std::to_string(stage), [&](const Operation& operation) {
        return operation.stage == stage;
      }));
    }
  }

  // All at once: every data-parallel rank in the company of one ideal rank, which stands for all
  // others.
  void replay_data_ranks() {
    const std::size_t ranks = table_.data_ranks.size();
    const std::size_t company = std::min<std::size_t>(ranks, 2);
    const LaneShape shape = {.lanes = all_.lanes * company, .company = company};
    const std::vector<double> ends_s =
        what_if_.run(shape, {}, [&](std::uint32_t operation, std::span<double> times_s) {
          if (company == 2) std::ranges::fill(times_s, times_.ideal_s[operation]);
          const auto own_s = recorded(operation);
          for (std::size_t lane = 0; lane < own_s.size(); ++lane) {
            times_s[lane * company] = own_s[lane];
          }
        });
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<double> of_rank_s;
      for (std::size_t i = rank; i < ends_s.size(); i += ranks) of_rank_s.push_back(ends_s[i]);
      replay_.data_ranks.push_back(
          finished(std::to_string(table_.data_ranks[rank]), std::move(of_rank_s)));
    }
  }

  // Before parts are sorted: they stand where their stage or rank does.
  std::vector<Worker> workers_of(std::int32_t stage) const {
    std::vector<Worker> workers;
    const std::size_t ranks = table_.data_ranks.size();
    for (std::size_t i = 0; i < ranks; ++i) {
      workers.push_back(
          {.data_rank = table_.data_ranks[i],
           .stage = stage,
           .rank = table_.worker_ranks[static_cast<std::size_t>(stage) * ranks + i],
           .score = std::min(replay_.data_ranks[i].slowdown,
                             replay_.stages[static_cast<std::size_t>(stage)].slowdown)});
    }
    return workers;
  }

  void score_workers() {
    for (std::int32_t stage = 0; stage < table_.sizes.stages; ++stage) {
      for (const Worker& worker : workers_of(stage)) replay_.workers.push_back(worker);
    }
    std::ranges::sort(replay_.workers, [](const Worker& a, const Worker& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.rank < b.rank;
    });
  }

  WorkersReplay repaired(std::vector<Worker> workers) {
    std::vector<bool> is_among(static_cast<std::size_t>(table_.sizes.stages) *
                               table_.data_ranks.size());
    for (const Worker& worker : workers) {
      const auto rank = std::ranges::lower_bound(table_.data_ranks, worker.data_rank);
      is_among[static_cast<std::size_t>(worker.stage) * table_.data_ranks.size() +
               static_cast<std::size_t>(rank - table_.data_ranks.begin())] = true;
    }
    const auto mean_step_s = [&](bool they_are_ideal) {
      return mean_of(
          what_if_.run(all_, {}, [&](std::uint32_t operation, std::span<double> times_s) {
            const std::size_t ranks = table_.data_ranks.size();
            const auto stage = static_cast<std::size_t>(table_.operations[operation].stage);
            const auto own_s = recorded(operation);
            for (std::size_t lane = 0; lane < times_s.size(); ++lane) {
              const bool is_ideal = is_among[stage * ranks + lane % ranks] == they_are_ideal;
              times_s[lane] = is_ideal ? times_.ideal_s[operation] : own_s[lane];
            }
          }));
    };
    WorkersReplay result = {.workers = std::move(workers),
                            .repaired_s = mean_step_s(true),
                            .only_they_s = mean_step_s(false)};
    const double cost_s = replay_.without_delays_s - replay_.ideal_s;
    if (cost_s != 0) {
      result.saved_share = (replay_.without_delays_s - result.repaired_s) / cost_s;
      result.caused_share = (result.only_they_s - replay_.ideal_s) / cost_s;
    }
    return result;
  }

  const OperationTable& table_;
  OperationTimes times_;
  WhatIf what_if_;
  LaneShape all_;
  Replay replay_;
};

}  // namespace

Result<Replay> replay(const OperationTable& table) {
  STROBE_TRY(const DependencyGraph graph, build_graph(table));
  return JobReplay(table, graph).run();
}

}  // namespace strobe::fleet
