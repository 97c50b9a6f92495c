#include "strobe/bench/workers/runner.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/workers/cell_counting.h"
#include "strobe/bench/workers/greet.h"
#include "strobe/bench/workers/group_run.h"
#include "strobe/bench/workers/run_header.h"

namespace strobe::bench {
namespace {

using Sessions = std::vector<std::unique_ptr<WorkerSession>>;

bool is_cancelled(const RunRequest& request) {
  return request.cancelled != nullptr && *request.cancelled;
}

Error nothing_can_run(const std::map<std::string, std::string>& obstacles) {
  std::vector<std::string> reasons;
  for (const auto& [provider, why] : obstacles)
    reasons.push_back(fmt::format("{}: {}", provider, why));
  return {.code = ErrorCode::kMachineLacks,
          .what = obstacles.size() == 1
                      ? fmt::format("{} cannot run here: {}", obstacles.begin()->first,
                                    obstacles.begin()->second)
                      : fmt::format("no provider can run here: {}", fmt::join(reasons, "; ")),
          .where = "",
          .hint = "`strobe bench list` says what can"};
}

// Of each provider that ran and lists no API calls, why.
std::vector<std::string> api_remarks(const Sessions& sessions, const BenchRun& run) {
  constexpr std::string_view kWhy = "no API calls: ";
  std::vector<std::string> remarks;
  for (const auto& session : sessions) {
    bool has_run = false;
    bool has_calls = false;
    std::string why = session->has(TimeMode::kCpu) ? "it runs on the host and makes none"
                                                   : "its worker gave none";
    for (const CellRecord& record : run.cells) {
      if (record.cell.provider != session->provider() || record.headline() == nullptr) continue;
      has_run = true;
      has_calls = has_calls || !record.api.empty();
      for (const std::string& note : record.notes) {
        if (note.starts_with(kWhy)) why = note.substr(kWhy.size());
      }
    }
    if (has_run && !has_calls) {
      remarks.push_back(fmt::format("{}: no API calls to list: {}", session->provider(), why));
    }
  }
  return remarks;
}

// strobe changes no clock, and says how somebody who may can.
std::string clock_remark(const BenchRun& run, double usual_mhz) {
  const auto throttled = std::ranges::count_if(
      run.cells, [](const CellRecord& record) { return record.has(CellFlag::kThrottled); });
  if (throttled == 0 || usual_mhz <= 0) return "";
  return fmt::format(
      "{} of {} cells ran at a lower clock than the others: `sudo nvidia-smi "
      "--lock-gpu-clocks={:.0f}` would hold it, `--reset-gpu-clocks` lets it go",
      throttled, run.cells.size(), usual_mhz);
}

}  // namespace

Result<BenchOutcome> run_bench(const RunRequest& request,
                               const std::function<void(const RunProgress&)>& on_cell) {
  STROBE_TRY(const std::vector<CellGroup> groups, expand(request));
  STROBE_TRY(const RowFolder folder, RowFolder::make());
  BenchOutcome outcome;
  Sessions sessions;
  for (const std::string& provider : request.providers) {
    sessions.push_back(
        std::make_unique<WorkerSession>(provider, worker_command(request, provider), request));
    sessions.back()->start("");
  }
  for (const auto& session : sessions) {
    if (Result<void> greeted = session->begin(""); !greeted) {
      outcome.obstacles[session->provider()] = session->hello().info.obstacle;
    }
  }
  if (outcome.obstacles.size() == sessions.size() && !is_cancelled(request)) {
    return nothing_can_run(outcome.obstacles);
  }
  outcome.run.header = header_of(request, sessions, outcome.log);

  std::optional<CellCounting> counting;
  if (request.counter != nullptr) counting.emplace(request, *request.counter);
  RunState state{.floors = outcome.run.header.floors};
  const std::size_t total = groups.size() * sessions.size();
  for (const CellGroup& group : groups) {
    std::vector<CellRecord> records = run_group(group, request, sessions, folder, state);
    if (is_cancelled(request)) break;  // these are halves
    for (CellRecord& record : records) {
      if (counting) counting->count(group, record);
      if (is_cancelled(request)) break;
      outcome.run.cells.push_back(std::move(record));
      on_cell({.done = outcome.run.cells.size(),
               .total = total,
               .last = &outcome.run.cells.back(),
               .so_far = &outcome.run});
    }
    if (counting) std::ranges::move(counting->take_log(), std::back_inserter(outcome.log));
    for (const auto& session : sessions) {
      const std::vector<std::string> lines = session->take_log();
      outcome.log.insert(outcome.log.end(), lines.begin(), lines.end());
    }
  }
  if (request.lists_api) outcome.remarks = api_remarks(sessions, outcome.run);
  if (std::string remark = clock_remark(outcome.run, state.usual_mhz()); !remark.empty()) {
    outcome.remarks.push_back(std::move(remark));
  }
  if (counting) outcome.counting_obstacle = counting->obstacle();
  outcome.is_interrupted = is_cancelled(request);
  return outcome;
}

}  // namespace strobe::bench
