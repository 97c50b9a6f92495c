#include "strobe/fleet/replay/traced_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/fleet/waits/make_job.h"

namespace strobe::fleet {
namespace {

Error not_replayed(std::string why, std::string hint) {
  return {.code = ErrorCode::kUnsupported,
          .what = std::move(why),
          .where = "",
          .hint = std::move(hint)};
}

bool is_pass(const PipelineOperation& operation) {
  return operation.what.type == OpType::kForwardCompute ||
         operation.what.type == OpType::kBackwardCompute;
}

class TracedTable {
 public:
  TracedTable(std::vector<const RankDigest*> digests, const Job& job)
      : digests_(std::move(digests)), job_(job), numbers_(step_numbers(job)) {}

  Result<OperationTable> make() {
    STROBE_TRY_VOID(find_chunks());
    STROBE_TRY_VOID(find_stages());
    STROBE_TRY_VOID(find_data_ranks());
    for (std::size_t rank = 0; rank < digests_.size(); ++rank) {
      STROBE_TRY_VOID(add_operations(rank));
    }
    if (rows_.empty()) return not_replayed("no operation lies in a step of all ranks", "");
    STROBE_TRY_VOID(check_transfers());
    return make_operation_table(rows_, "");
  }

 private:
  using Counts = std::array<std::int32_t, static_cast<std::size_t>(OpType::kCount_)>;

  struct Place {                       // of a rank in the pipeline
    std::vector<std::int32_t> chunks;  // of the whole model; empty: ranges do not name them
    std::int32_t stage = 0;
    std::int32_t data_rank = 0;
  };

  Result<void> find_chunks() {
    for (const RankDigest* digest : digests_) {
      Place& place = places_.emplace_back();
      for (const PipelineOperation& operation : digest->pipeline) {
        if (operation.what.global_chunk >= 0) place.chunks.push_back(operation.what.global_chunk);
      }
      std::ranges::sort(place.chunks);
      place.chunks.erase(std::ranges::unique(place.chunks).begin(), place.chunks.end());
      if (std::ranges::any_of(digest->pipeline, is_pass)) continue;
      return not_replayed(fmt::format("rank {} has no passes, though others have", digest->rank),
                          "trace the same ranges on all ranks");
    }
    return {};
  }

  // As the groups of the job say it, else by the first chunk of each rank.
  Result<void> find_stages() {
    std::vector<std::int32_t> firsts;
    for (const Place& place : places_) {
      if (!place.chunks.empty()) firsts.push_back(place.chunks.front());
    }
    std::ranges::sort(firsts);
    firsts.erase(std::ranges::unique(firsts).begin(), firsts.end());
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
      Place& place = places_[rank];
      if (!place.chunks.empty()) {
        const auto at = std::ranges::lower_bound(firsts, place.chunks.front());
        place.stage = static_cast<std::int32_t>(at - firsts.begin());
      } else if (digests_[rank]->stage) {
        place.stage = *digests_[rank]->stage;
      } else {
        return not_replayed(
            fmt::format("the stage of rank {} is not known", digests_[rank]->rank),
            "traces tell it by a process group that is called 'pp' or by ranges like 'PP:2F0'");
      }
      stages_ = std::max(stages_, place.stage + 1);
    }
    return {};
  }

  Result<void> find_data_ranks() {
    std::map<std::int32_t, std::int32_t> of_stages;
    for (Place& place : places_) place.data_rank = of_stages[place.stage]++;
    const std::int32_t most = std::ranges::max_element(of_stages, {}, [](const auto& entry) {
                                return entry.second;
                              })->second;
    for (std::int32_t stage = 0; stage < stages_; ++stage) {
      if (of_stages[stage] == most) continue;
      return not_replayed(
          fmt::format("stage {} has {}, another one {}", stage,
                      counted(static_cast<std::uint64_t>(of_stages[stage]), "rank"), most),
          "replay needs the traces of all ranks");
    }
    return {};
  }

  // Which chunk of its stage, and of the model.
  Result<std::pair<std::int32_t, std::int32_t>> chunk_of(const PipelineOperation& operation,
                                                         const Place& place) const {
    std::int32_t chunk = std::max(operation.what.chunk, 0);
    if (operation.what.global_chunk >= 0) {
      const auto at = std::ranges::lower_bound(place.chunks, operation.what.global_chunk);
      chunk = static_cast<std::int32_t>(at - place.chunks.begin());
    }
    const std::int32_t global_chunk = chunk * stages_ + place.stage;
    if (operation.what.global_chunk >= 0 && operation.what.global_chunk != global_chunk) {
      return not_replayed(
          fmt::format("chunk {} of the model is in stage {}: its chunks do not go around in order",
                      operation.what.global_chunk, place.stage),
          "only schedules are replayed in which chunk c is in stage c modulo the stages");
    }
    return std::pair(chunk, global_chunk);
  }

  std::optional<std::size_t> step_of(std::size_t rank, std::int64_t time_ns) const {
    const auto& steps = job_.ranks[rank].steps;
    const auto after = std::ranges::upper_bound(steps, time_ns, {}, &RankStep::start_ns);
    if (after == steps.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
    return static_cast<std::size_t>(after - steps.begin()) - 1;
  }

  Result<void> add_operations(std::size_t rank) {
    const RankDigest& digest = *digests_[rank];
    const Place& place = places_[rank];
    std::vector<std::pair<std::size_t, OperationRow>> rows;  // with their steps
    for (const PipelineOperation& operation : digest.pipeline) {
      const auto step = step_of(rank, job_.clocks.common_ns(rank, operation.called_ns));
      if (!step) continue;
      STROBE_TRY(const auto chunks, chunk_of(operation, place));
      const Interval interval = job_.clocks.common(rank, operation.interval);
      const std::int64_t since_ns = interval.start_ns - job_.ranks[0].steps[*step].start_ns;
      OperationRow row = {.step = numbers_[*step],
                          .start_s = static_cast<double>(since_ns) * 1e-9,
                          .duration_s = static_cast<double>(interval.length_ns()) * 1e-9,
                          .operation = {.type = operation.what.type,
                                        .stage = place.stage,
                                        .chunk = chunks.first,
                                        .global_chunk = chunks.second},
                          .data_rank = place.data_rank,
                          .rank = digest.rank};
      rows.emplace_back(*step, row);
    }
    std::ranges::stable_sort(
        rows, {}, [](const auto& entry) { return std::pair(entry.first, entry.second.start_s); });
    std::vector<Counts> counts(job_.steps.size(), Counts{});
    for (auto& [step, row] : rows) {
      row.operation.sequence = counts[step][static_cast<std::size_t>(row.operation.type)]++;
      rows_.push_back(row);
    }
    return check_counts(digest.rank, counts);
  }

  // Of one rank in each step.
  Result<void> check_counts(std::int32_t rank, const std::vector<Counts>& counts) const {
    for (std::size_t step = 0; step < counts.size(); ++step) {
      const auto count = [&](OpType type) { return counts[step][static_cast<std::size_t>(type)]; };
      const std::int32_t forward = count(OpType::kForwardCompute);
      const std::int32_t backward = count(OpType::kBackwardCompute);
      if (forward != backward) {
        return not_replayed(fmt::format("rank {} has {} forward and {} backward passes in step {}",
                                        rank, forward, backward, job_.steps[step]),
                            "schedules that split a pass in two are not replayed");
      }
      if (count(OpType::kOptimizer) == 0) {
        return not_replayed(
            fmt::format("rank {} has no range of the optimizer in step {}", rank, job_.steps[step]),
            "a range called 'optimizer' marks where a step ends");
      }
    }
    return {};
  }

  // Without them stages would not wait for each other.
  Result<void> check_transfers() const {
    const auto is_there = [&](OpType type, std::int32_t stage) {
      return std::ranges::any_of(rows_, [&](const OperationRow& row) {
        return row.operation.type == type && (stage < 0 || row.operation.stage == stage);
      });
    };
    if (stages_ > 1 && !is_there(OpType::kForwardRecv, -1)) {
      return not_replayed("no ranges name the transfers between the stages",
                          "Megatron calls them 'forward-recv', PyTorch 'PP:2RECV_F0'");
    }
    const bool has_one_chunk = std::ranges::all_of(
        rows_, [&](const OperationRow& row) { return row.operation.global_chunk < stages_; });
    if (stages_ > 1 && has_one_chunk && is_there(OpType::kForwardRecv, 0)) {
      return not_replayed(
          "the first stage receives, so it has several chunks of the model, but "
          "the ranges do not name them",
          "add the chunk to their names: 'forward-compute chunk 1'");
    }
    return {};
  }

  std::vector<const RankDigest*> digests_;
  const Job& job_;
  std::vector<std::int64_t> numbers_;  // of the steps
  std::vector<Place> places_;          // per rank
  std::int32_t stages_ = 0;
  std::vector<OperationRow> rows_;
};

bool names_passes(std::span<const RankDigest> digests) {
  return std::ranges::any_of(digests, [](const RankDigest& digest) {
    return std::ranges::any_of(digest.pipeline, is_pass);
  });
}

}  // namespace

Result<OperationTable> traced_table(std::span<const RankDigest> digests, const Job& job) {
  if (!names_passes(digests)) {
    return not_replayed("no ranges of these traces name the operations of a pipeline",
                        "such as 'forward-compute' and 'forward-send', or 'PP:0F1'");
  }
  return TracedTable(by_rank(digests), job).make();
}

std::optional<Result<Replay>> replay_traces(std::span<const RankDigest> digests, const Job& job) {
  if (!names_passes(digests)) return std::nullopt;
  const auto table = traced_table(digests, job);
  if (!table) return table.error();
  return replay(*table);
}

}  // namespace strobe::fleet
