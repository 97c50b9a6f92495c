#include "strobe/bench/workers/runner.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/version.h"
#include "strobe/bench/workers/cell_counting.h"
#include "strobe/bench/workers/floor_counting.h"
#include "strobe/bench/workers/greet.h"
#include "strobe/bench/workers/group_run.h"

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

// The device that the run is about: the first provider's that measures it, not the host.
WorkerSession* leader(const Sessions& sessions) {
  WorkerSession* first = nullptr;
  for (const auto& session : sessions) {
    if (!session->is_available()) continue;
    if (session->has(TimeMode::kDevice) && session->can("roofs")) return session.get();
    if (first == nullptr || (!first->can("roofs") && session->can("roofs"))) first = session.get();
  }
  return first;
}

std::string driver_in(std::string_view version) {
  constexpr std::string_view kWord = "driver ";
  const std::size_t at = version.find(kWord);
  if (at == std::string_view::npos) return "";
  version.remove_prefix(at + kWord.size());
  return std::string(version.substr(0, version.find_first_of(",; ")));
}

std::vector<TimeMode> modes_of(const RunRequest& request, const Sessions& sessions) {
  if (!request.modes.empty()) return request.modes;
  std::set<TimeMode> modes;
  for (const auto& session : sessions) {
    const std::vector<TimeMode> own = session->usual_modes();
    modes.insert(own.begin(), own.end());
  }
  return {modes.begin(), modes.end()};
}

RunHeader header_of(const RunRequest& request, const Sessions& sessions,
                    std::vector<std::string>& log) {
  const std::tm now = fmt::gmtime(std::time(nullptr));
  RunHeader header;
  header.run = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", now, getpid());
  header.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now);
  header.strobe_version = kVersion;
  header.command_line = request.command_line;
  header.method = {.flush = request.flush,
                   .stop = stop_rule_text(request.measure.stop),
                   .modes = modes_of(request, sessions),
                   .seed = request.seed,
                   .hold = request.is_profiled ? Hold::kNone : Hold::kCall};
  for (const auto& session : sessions) {
    if (session->is_available()) {
      header.libraries[session->provider()] = session->hello().info.version;
    }
  }
  WorkerSession* const chosen = leader(sessions);
  if (chosen == nullptr) return header;
  header.device = chosen->hello().info.device;
  header.driver = driver_in(chosen->hello().info.version);
  header.device_facts = chosen->hello().device_facts;
  // They would be a profiler's, not the device's, and fill its report.
  if (request.is_profiled) return header;
  const auto ask = [&](WorkerOp op, std::string_view name) {
    WorkerReply reply;
    if (!chosen->can(name)) return reply;
    reply = chosen->ask({.op = op, .id = chosen->new_id()});
    if (reply.status != CellStatus::kOk) {
      log.push_back(fmt::format("{}: no {}: {}", chosen->provider(), name, reply.reason));
    }
    return reply;
  };
  header.roofs = ask(WorkerOp::kRoofs, "roofs").roofs.value_or(Roofs{});
  header.floors = ask(WorkerOp::kFloors, "floors").floors.value_or(Floors{});
  // Recording a kernel has left hooks in that process; cells get one without.
  if (header.floors.empty_kernel_record) chosen->end();
  if (request.floor_counter != nullptr && chosen->can("count_empty")) {
    const Result<double> counted =
        count_empty_kernel_us(request, chosen->provider(), *request.floor_counter);
    if (counted) {
      header.floors.empty_kernel = *counted;
    } else {
      log.push_back(fmt::format("{}: an empty kernel was not counted: {}", chosen->provider(),
                                counted.error().what));
    }
  }
  return header;
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
  if (counting) outcome.counting_obstacle = counting->obstacle();
  outcome.is_interrupted = is_cancelled(request);
  return outcome;
}

}  // namespace strobe::bench
