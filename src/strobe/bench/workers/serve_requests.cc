#include "strobe/bench/workers/serve_requests.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <new>
#include <string>

#include <fmt/format.h>

#include "strobe/bench/workers/protocol.h"
#include "strobe/bench/workers/row_file.h"

namespace strobe::bench {
namespace {

constexpr int kSamplesOfAWholeCell = 100;

std::string reason_text(const Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) text = fmt::format("{}: {}", error.where, text);
  if (!error.hint.empty()) text += fmt::format(" ({})", error.hint);
  return text;
}

CellStatus failure_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfMemory:
      return CellStatus::kOom;
    case ErrorCode::kUnsupported:
    case ErrorCode::kInvalidArgument:
      return CellStatus::kUnsupported;
    default:
      return CellStatus::kError;
  }
}

WorkerReply failure_reply(const Error& error) {
  return {.status = failure_status(error.code), .reason = reason_text(error)};
}

WorkerReply no_such_cell(std::int64_t id) {
  return {.status = CellStatus::kError, .reason = fmt::format("no cell {} is prepared", id)};
}

void describe(const PreparedCell& cell, WorkerReply& reply) {
  reply.kernels = cell.kernels();
  reply.compile = cell.compile_times();
  reply.config = cell.config();
  reply.resident_bytes = cell.resident_bytes();
  reply.peak_bytes = cell.peak_bytes();
  reply.clocks = cell.clocks();
  reply.outputs = cell.output_count();
  reply.notes = cell.notes();
}

// A cell is valid without them.
void add_api_calls(PreparedCell& cell, WorkerReply& reply) {
  Result<std::vector<ApiCall>> calls = cell.api_calls();
  if (calls) {
    reply.api = std::move(*calls);
  } else {
    reply.lacks[Lack::kApi] = reason_text(calls.error());
  }
}

bool write_line(int out, std::string line) {
  line += '\n';
  return write_all(out, line);
}

// The next line without its end; false at the end of the input.
bool read_line(int in, std::string& unread, std::string& line) {
  std::array<char, 65536> buffer;
  while (true) {
    if (const std::size_t end = unread.find('\n'); end != std::string::npos) {
      line = unread.substr(0, end);
      unread.erase(0, end + 1);
      return true;
    }
    const ssize_t got = read(in, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) unread.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

PreparedCell* RequestServer::cell(std::int64_t id) {
  const auto found = cells_.find(id);
  return found == cells_.end() ? nullptr : found->second.get();
}

WorkerReply RequestServer::hello() {
  WorkerReply reply;
  reply.info = provider_.probe();
  reply.ops = {"plan", "prepare", "sample", "rows", "finish", "floors", "roofs", "cell"};
  if (provider_.can_be_counted()) reply.ops.insert(reply.ops.end(), {"count", "count_empty"});
  reply.variants = {reply.info.name};
  if (!reply.info.is_available()) return reply;
  reply.modes = provider_.modes();
  reply.device_facts = provider_.device_facts();
  reply.free_bytes = provider_.free_bytes();
  return reply;
}

WorkerReply RequestServer::plan(const WorkerRequest& request) {
  const Result<Plan> plan = provider_.plan(request.prepare.cell);
  if (!plan) return failure_reply(plan.error());
  WorkerReply reply;
  reply.plan = *plan;
  reply.free_bytes = provider_.free_bytes();
  if (!plan->unsupported.empty()) {
    reply.status = CellStatus::kUnsupported;
    reply.reason = plan->unsupported;
  }
  return reply;
}

WorkerReply RequestServer::prepare(const WorkerRequest& request) {
  WorkerReply reply = plan(request);
  if (reply.status != CellStatus::kOk) return reply;
  cells_.erase(request.id);
  Result<std::unique_ptr<PreparedCell>> prepared = provider_.prepare(request.prepare);
  if (!prepared) {
    WorkerReply failure = failure_reply(prepared.error());
    if (failure.status == CellStatus::kOom) failure.requested_bytes = reply.plan->resident_bytes;
    return failure;
  }
  const auto since = std::chrono::steady_clock::now();
  if (const Result<void> ran = (*prepared)->run(); !ran) return failure_reply(ran.error());
  const std::chrono::duration<double, std::milli> first_call =
      std::chrono::steady_clock::now() - since;
  describe(**prepared, reply);
  if (!reply.compile.first_call_ms) reply.compile.first_call_ms = first_call.count();
  cells_[request.id] = std::move(*prepared);
  return reply;
}

WorkerReply RequestServer::sample(const WorkerRequest& request) {
  PreparedCell* const prepared = cell(request.id);
  if (prepared == nullptr) return no_such_cell(request.id);
  Result<SampleBlock> block = prepared->sample(request.sample);
  if (!block) return failure_reply(block.error());
  read_clocks(request.id);
  WorkerReply reply;
  reply.samples[request.sample.mode] = std::move(*block);
  return reply;
}

// Directly after a block, while the device is in the same state as during timing. The query takes
// the driver up to a millisecond.
void RequestServer::read_clocks(std::int64_t id) {
  constexpr std::chrono::milliseconds kApart{100};
  const auto now = std::chrono::steady_clock::now();
  const auto last = clocks_.find(id);
  if (last != clocks_.end() && now - last->second.at < kApart) return;
  clocks_[id] = {now, cell(id)->clocks()};
}

WorkerReply RequestServer::rows(const WorkerRequest& request) {
  PreparedCell* const prepared = cell(request.id);
  if (prepared == nullptr) return no_such_cell(request.id);
  if (request.output >= prepared->output_count()) {
    return {.status = CellStatus::kError,
            .reason = fmt::format("there is no output {}", request.output)};
  }
  const Result<std::vector<float>> values = prepared->output_rows(request.output, request.rows);
  if (!values) return failure_reply(values.error());
  if (const Result<void> written = write_row_file(request.file, *values); !written) {
    return {.status = CellStatus::kError, .reason = reason_text(written.error())};
  }
  return {};
}

WorkerReply RequestServer::count(const WorkerRequest& request) {
  PreparedCell* const prepared = cell(request.id);
  if (prepared == nullptr) return no_such_cell(request.id);
  if (const Result<void> ran = prepared->run_counted(); !ran) return failure_reply(ran.error());
  return {};
}

WorkerReply RequestServer::finish(const WorkerRequest& request) {
  PreparedCell* const prepared = cell(request.id);
  if (prepared == nullptr) return no_such_cell(request.id);
  WorkerReply reply;
  describe(*prepared, reply);
  if (const auto read = clocks_.find(request.id); read != clocks_.end()) {
    reply.clocks = read->second.clocks;
    clocks_.erase(read);
  }
  if (request.wants_api) add_api_calls(*prepared, reply);
  cells_.erase(request.id);
  return reply;
}

WorkerReply RequestServer::whole_cell(const WorkerRequest& request) {
  WorkerReply begun = prepare(request);
  if (begun.status != CellStatus::kOk) return begun;
  WorkerReply whole;
  for (const TimeMode mode : request.modes) {
    WorkerRequest one = request;
    one.sample = {
        .mode = mode, .count = kSamplesOfAWholeCell, .budget_ms = request.sample.budget_ms};
    WorkerReply sampled = sample(one);
    if (sampled.status != CellStatus::kOk) return cells_.erase(request.id), sampled;
    whole.samples.merge(sampled.samples);
  }
  if (!request.file.empty()) {
    if (WorkerReply given = rows(request); given.status != CellStatus::kOk) {
      return cells_.erase(request.id), given;
    }
  }
  WorkerReply reply = finish(request);
  reply.samples = std::move(whole.samples);
  reply.compile = begun.compile;
  return reply;
}

WorkerReply RequestServer::answer(const WorkerRequest& request) {
  WorkerReply reply;
  switch (request.op) {
    case WorkerOp::kHello:
      reply = hello();
      break;
    case WorkerOp::kPlan:
      reply = plan(request);
      break;
    case WorkerOp::kPrepare:
      reply = prepare(request);
      break;
    case WorkerOp::kSample:
      reply = sample(request);
      break;
    case WorkerOp::kRows:
      reply = rows(request);
      break;
    case WorkerOp::kCount:
      reply = count(request);
      break;
    case WorkerOp::kCountEmpty:
      if (Result<void> ran = provider_.run_empty_counted(); !ran)
        reply = failure_reply(ran.error());
      break;
    case WorkerOp::kFinish:
      reply = finish(request);
      break;
    case WorkerOp::kFloors:
      if (Result<Floors> floors = provider_.measure_floors()) {
        reply.floors = *floors;
      } else {
        reply = failure_reply(floors.error());
      }
      break;
    case WorkerOp::kRoofs:
      if (Result<Roofs> roofs = provider_.measure_roofs()) {
        reply.roofs = *roofs;
      } else {
        reply = failure_reply(roofs.error());
      }
      break;
    case WorkerOp::kCell:
      reply = whole_cell(request);
      break;
    case WorkerOp::kBye:
      break;
  }
  reply.id = request.id;
  return reply;
}

int serve_requests(Provider& provider, int in, int out) {
  RequestServer server(provider);
  std::string unread;
  std::string line;
  while (read_line(in, unread, line)) {
    Result<WorkerRequest> request = parse_request(line);
    WorkerOp op = WorkerOp::kSample;
    WorkerReply reply;
    if (!request) {
      reply = failure_reply(request.error());
    } else if (op = request->op; op == WorkerOp::kBye) {
      return 0;
    } else {
      try {
        reply = server.answer(*request);
      } catch (const std::bad_alloc&) {  // of the host: a cell that does not fit ends here
        reply = {.id = request->id,
                 .status = CellStatus::kOom,
                 .reason = "the host's memory is not enough"};
      }
    }
    if (!write_line(out, to_line(reply, op))) return 0;  // the other side has gone away
  }
  return 0;
}

}  // namespace strobe::bench
