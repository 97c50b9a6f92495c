#include "strobe/bench/workers/run_header.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "strobe/base/version.h"
#include "strobe/bench/workers/counting.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {
namespace {

constexpr const char* kOwnOnDevice = "cuda-unfused";
constexpr const char* kMatrixProducts = "cublaslt";

// The worker that measures the device of the run.
struct Leader {
  WorkerSession* session = nullptr;
  std::unique_ptr<WorkerSession> own;  // set if it is not one of the run's own
};

WorkerSession* first_available(Sessions sessions, bool (*is_one)(const WorkerSession&)) {
  for (const auto& session : sessions) {
    if (session->is_available() && is_one(*session)) return session.get();
  }
  return nullptr;
}

// A device before the host, and a provider that can measure.
Leader leader_of(const RunRequest& request, Sessions sessions) {
  const auto measures = [](const WorkerSession& session) { return session.can("roofs"); };
  const auto runs_on_device = [](const WorkerSession& session) {
    return !session.has(TimeMode::kCpu);
  };
  const auto does_both = [](const WorkerSession& session) {
    return session.can("roofs") && !session.has(TimeMode::kCpu);
  };
  if (WorkerSession* const both = first_available(sessions, does_both)) return {both, nullptr};
  if (WorkerSession* const stack = first_available(sessions, runs_on_device)) {
    if (request.timing.is_profiled || request.workers.own.empty()) return {stack, nullptr};
    auto own = std::make_unique<WorkerSession>(kOwnOnDevice, request.workers);
    const bool is_there = own->begin("") && own->hello().info.device == stack->hello().info.device;
    if (!is_there) return {stack, nullptr};
    WorkerSession* const session = own.get();
    return {session, std::move(own)};
  }
  if (WorkerSession* const host = first_available(sessions, measures)) return {host, nullptr};
  return {first_available(sessions, [](const WorkerSession&) { return true; }), nullptr};
}

bool has_products(const RunRequest& request) {
  return std::ranges::any_of(request.cells.cases, [](const std::string& id) {
    const CaseInfo* const info = find_case(id);
    return info != nullptr && info->kind != CaseKind::kRows;
  });
}

std::string driver_in(std::string_view version) {
  constexpr std::string_view kWord = "driver ";
  const std::size_t at = version.find(kWord);
  if (at == std::string_view::npos) return "";
  version.remove_prefix(at + kWord.size());
  return std::string(version.substr(0, version.find_first_of(",; ")));
}

std::vector<TimeMode> modes_of(const RunRequest& request, Sessions sessions) {
  if (!request.timing.modes.empty()) return request.timing.modes;
  std::set<TimeMode> modes;
  for (const auto& session : sessions) {
    const std::vector<TimeMode> own = session->usual_modes();
    modes.insert(own.begin(), own.end());
  }
  return {modes.begin(), modes.end()};
}

// Measured by the library that multiplies, in a separate process.
std::optional<double> matrix_roof(const RunRequest& request, std::vector<std::string>& log) {
  if (request.workers.own.empty()) return {};
  const WorkerReply reply = greet(request.workers, kMatrixProducts, true);
  if (reply.roofs && reply.roofs->gemm_tflops) return reply.roofs->gemm_tflops;
  log.push_back(fmt::format("{}: no matrix roof: {}", kMatrixProducts,
                            reply.info.is_available() ? reply.reason : reply.info.obstacle));
  return {};
}

}  // namespace

RunHeader header_of(const RunRequest& request, Sessions sessions, std::vector<std::string>& log) {
  const std::tm now = fmt::gmtime(std::time(nullptr));
  RunHeader header;
  header.run = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", now, getpid());
  header.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now);
  header.strobe_version = kVersion;
  header.command_line = request.command_line;
  header.method = {.flush = std::string(flush_name(request.prepare.flush)),
                   .stop = stop_rule_text(request.timing.measure.stop),
                   .modes = modes_of(request, sessions),
                   .seed = request.prepare.seed,
                   .hold = request.timing.is_profiled ? Hold::kNone : Hold::kCall};
  for (const auto& session : sessions) {
    if (session->is_available()) {
      header.libraries[session->provider()] = session->hello().info.version;
    }
  }
  const Leader leader = leader_of(request, sessions);
  WorkerSession* const chosen = leader.session;
  if (chosen == nullptr) return header;
  header.device = chosen->hello().info.device;
  header.driver = driver_in(chosen->hello().info.version);
  header.device_facts = chosen->hello().device_facts;
  // Under a profiler these would be the profiler's times, and they would fill its report.
  if (request.timing.is_profiled) return header;
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
  header.roofs.is_of_host = chosen->has(TimeMode::kCpu);
  if (!header.roofs.gemm_tflops && !*header.roofs.is_of_host && has_products(request)) {
    header.roofs.gemm_tflops = matrix_roof(request, log);
  }
  header.floors = ask(WorkerOp::kFloors, "floors").floors.value_or(Floors{});
  // Recording a kernel has left hooks in that process; cells get a new one.
  if (header.floors.empty_kernel_record) chosen->end();
  if (request.floor_counter != nullptr && chosen->can("count_empty")) {
    const Result<double> counted =
        count_empty_kernel_us(request.workers, chosen->provider(), *request.floor_counter);
    if (counted) {
      header.floors.empty_kernel = *counted;
    } else {
      log.push_back(fmt::format("{}: an empty kernel was not counted: {}", chosen->provider(),
                                counted.error().what));
    }
  }
  return header;
}

}  // namespace strobe::bench
