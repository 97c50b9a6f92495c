#include "strobe/bench/workers/tune.h"

#include <functional>

#include <fmt/format.h>

#include "strobe/bench/workers/greet.h"
#include "strobe/bench/workers/run_plan.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {
namespace {

CellRecord tuned(const CellGroup& group, const RunRequest& request, WorkerSession& session) {
  CellRecord record;
  record.cell = {std::string(group.info->id), group.shape, group.dtype, session.provider()};
  const auto failed = [&](CellStatus status, std::string reason) {
    record.status = status;
    record.reason = std::move(reason);
    if (status == CellStatus::kError || status == CellStatus::kOom) session.end();
    return record;
  };
  const std::string key = fmt::format("{} {}", group.info->id, bucket_of(group));
  if (Result<void> begun = session.begin(key); !begun) {
    return failed(CellStatus::kError, begun.error().what);
  }
  WorkerRequest asked{.op = WorkerOp::kPlan, .id = session.new_id()};
  asked.prepare = {.cell = record.cell,
                   .seed = request.seed,
                   .flush = request.flush,
                   .cache_folder = request.cache_folder};
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

Result<BenchOutcome> tune_cells(const RunRequest& request,
                                const std::function<void(const RunProgress&)>& on_cell) {
  STROBE_TRY(const std::vector<CellGroup> groups, expand(request));
  BenchOutcome outcome;
  const std::size_t total = groups.size() * request.providers.size();
  for (const std::string& provider : request.providers) {
    WorkerSession session(provider, worker_command(request, provider), request);
    if (Result<void> greeted = session.begin(""); !greeted) {
      return Error{.code = ErrorCode::kMachineLacks,
                   .what = fmt::format("{} cannot run here: {}", provider, greeted.error().what),
                   .where = "",
                   .hint = "`strobe bench list` says what can"};
    }
    for (const CellGroup& group : groups) {
      CellRecord record = tuned(group, request, session);
      outcome.is_interrupted = request.cancelled != nullptr && *request.cancelled;
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
