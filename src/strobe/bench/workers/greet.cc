#include "strobe/bench/workers/greet.h"

#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {

std::vector<std::string> worker_command(const RunRequest& request, const std::string& provider) {
  if (const auto own = request.workers.find(provider); own != request.workers.end()) {
    return own->second;
  }
  std::vector<std::string> command = request.own_worker;
  command.insert(command.end(), {"--provider", provider});
  return command;
}

WorkerReply greet(const RunRequest& request, const std::string& provider, bool is_about_device) {
  WorkerSession session(provider, worker_command(request, provider), request);
  const Result<void> begun = session.begin("");
  WorkerReply hello = session.hello();
  if (!begun || !is_about_device) return hello;
  const auto ask = [&](WorkerOp op, std::string_view name) {
    if (!session.can(name)) return WorkerReply{};
    WorkerReply reply = session.ask({.op = op, .id = session.new_id()});
    if (reply.status != CellStatus::kOk) {
      hello.status = reply.status;
      hello.reason = reply.reason;
    }
    return reply;
  };
  hello.roofs = ask(WorkerOp::kRoofs, "roofs").roofs;
  // The last: recording a kernel leaves hooks in the worker's process.
  hello.floors = ask(WorkerOp::kFloors, "floors").floors;
  return hello;
}

}  // namespace strobe::bench
