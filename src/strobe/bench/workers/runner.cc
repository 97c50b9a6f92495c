#include "strobe/bench/workers/runner.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/workers/counting.h"
#include "strobe/bench/workers/group_run.h"
#include "strobe/bench/workers/run_header.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {
namespace {

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

// For each provider that ran and lists no API calls, the reason.
std::vector<std::string> api_remarks(Sessions sessions, const BenchRun& run) {
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
      if (const auto lack = record.lacks.find(Lack::kApi); lack != record.lacks.end()) {
        why = lack->second;
      }
    }
    if (has_run && !has_calls) {
      remarks.push_back(fmt::format("{}: no API calls to list: {}", session->provider(), why));
    }
  }
  return remarks;
}

// strobe never changes a clock; it says how a user with the permission can.
std::string clock_remark(const BenchRun& run, double usual_mhz) {
  const auto throttled = std::ranges::count_if(
      run.cells, [](const CellRecord& record) { return record.has(CellFlag::kThrottled); });
  if (throttled == 0 || usual_mhz <= 0) return "";
  return fmt::format(
      "{} of {} cells ran at a lower clock than the others: `sudo nvidia-smi "
      "--lock-gpu-clocks={:.0f}` would lock it, `--reset-gpu-clocks` unlocks it",
      throttled, run.cells.size(), usual_mhz);
}

CellRecord tuned(const CellGroup& group, const PrepareRequest& prepare, WorkerSession& session) {
  CellRecord record;
  record.cell = {std::string(group.info->id), group.shape, group.dtype, session.provider()};
  const auto failed = [&](CellStatus status, std::string reason) {
    record.status = status;
    record.reason = std::move(reason);
    if (status == CellStatus::kError || status == CellStatus::kOom) session.end();
    return record;
  };
  if (Result<void> begun = session.begin(worker_key(group)); !begun) {
    return failed(CellStatus::kError, begun.error().what);
  }
  WorkerRequest asked{.op = WorkerOp::kPlan, .id = session.new_id()};
  asked.prepare = prepare;
  asked.prepare.cell = record.cell;
  if (session.can("plan")) {
    const WorkerReply plan = session.ask(asked);
    if (plan.status != CellStatus::kOk) return failed(plan.status, plan.reason);
    if (auto why = predicted_oom(plan.plan ? plan.plan->resident_bytes : 0, plan.free_bytes)) {
      return failed(CellStatus::kOomPredicted, std::move(*why));
    }
  }
  asked.op = WorkerOp::kPrepare;
  const WorkerReply reply = session.ask(asked);
  if (reply.status != CellStatus::kOk) return failed(reply.status, reply.reason);
  record.status = CellStatus::kOk;
  record.compile = reply.compile;
  record.config = reply.config;
  record.notes = reply.notes;
  session.ask({.op = WorkerOp::kFinish, .id = asked.id});
  return record;
}

}  // namespace

Result<BenchOutcome> run_bench(const RunRequest& request,
                               const std::function<void(const RunProgress&)>& on_cell) {
  STROBE_TRY(const std::vector<CellGroup> groups, expand(request.cells));
  STROBE_TRY(const RowFolder folder, RowFolder::make());
  BenchOutcome outcome;
  std::vector<std::unique_ptr<WorkerSession>> sessions;
  for (const std::string& provider : request.providers) {
    sessions.push_back(std::make_unique<WorkerSession>(provider, request.workers));
    sessions.back()->start("");
  }
  for (const auto& session : sessions) {
    if (Result<void> greeted = session->begin(""); !greeted) {
      outcome.obstacles[session->provider()] = session->hello().info.obstacle;
    }
  }
  if (outcome.obstacles.size() == sessions.size() && !request.workers.is_cancelled()) {
    return nothing_can_run(outcome.obstacles);
  }
  outcome.run.header = header_of(request, sessions, outcome.log);

  std::optional<CellCounting> counting;
  if (request.counter != nullptr)
    counting.emplace(request.workers, request.prepare, *request.counter);
  RunState state{.floors = outcome.run.header.floors};
  const std::size_t total = groups.size() * sessions.size();
  for (const CellGroup& group : groups) {
    std::vector<CellRecord> records =
        run_group(group, request.prepare, request.timing, sessions, folder, state);
    if (request.workers.is_cancelled()) break;  // these are halves
    for (CellRecord& record : records) {
      if (counting) counting->count(group, record);
      if (request.workers.is_cancelled()) break;
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
    if (request.workers.is_cancelled()) break;
  }
  if (request.timing.lists_api) outcome.remarks = api_remarks(sessions, outcome.run);
  if (std::string remark = clock_remark(outcome.run, state.usual_mhz()); !remark.empty()) {
    outcome.remarks.push_back(std::move(remark));
  }
  if (counting) outcome.counting_obstacle = counting->obstacle();
  outcome.is_interrupted = request.workers.is_cancelled();
  return outcome;
}

Result<BenchOutcome> tune_cells(const RunRequest& request,
                                const std::function<void(const RunProgress&)>& on_cell) {
  STROBE_TRY(const std::vector<CellGroup> groups, expand(request.cells));
  BenchOutcome outcome;
  const std::size_t total = groups.size() * request.providers.size();
  for (const std::string& provider : request.providers) {
    WorkerSession session(provider, request.workers);
    if (Result<void> greeted = session.begin(""); !greeted) {
      return Error{.code = ErrorCode::kMachineLacks,
                   .what = fmt::format("{} cannot run here: {}", provider, greeted.error().what),
                   .where = "",
                   .hint = "`strobe bench list` says what can"};
    }
    for (const CellGroup& group : groups) {
      CellRecord record = tuned(group, request.prepare, session);
      outcome.is_interrupted = request.workers.is_cancelled();
      if (outcome.is_interrupted) return outcome;
      outcome.run.cells.push_back(std::move(record));
      on_cell({.done = outcome.run.cells.size(),
               .total = total,
               .last = &outcome.run.cells.back(),
               .so_far = &outcome.run});
    }
  }
  return outcome;
}

}  // namespace strobe::bench
