#include "strobe/bench/workers/worker_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/workers/protocol.h"

namespace strobe::bench {
namespace {

Error failure(CellStatus status, std::string what) {
  return {.code = status == CellStatus::kOom ? ErrorCode::kOutOfMemory : ErrorCode::kMalformed,
          .what = std::move(what),
          .where = "",
          .hint = ""};
}

}  // namespace

bool WorkerSession::can(std::string_view op) const {
  return std::ranges::find(hello_.ops, op) != hello_.ops.end();
}

bool WorkerSession::has(TimeMode mode) const {
  // A worker that lists no modes is assumed to have device times.
  return hello_.modes.empty() ? mode == TimeMode::kDevice
                              : std::ranges::find(hello_.modes, mode) != hello_.modes.end();
}

std::vector<TimeMode> WorkerSession::usual_modes() const {
  std::vector<TimeMode> modes = hello_.modes;
  if (modes.size() > 1) std::erase(modes, TimeMode::kActivity);
  return modes;
}

void WorkerSession::start(const std::string& key) {
  const bool has_seen_others = !key_.empty() && key != key_;
  if (worker_ != nullptr && worker_->is_alive() && (lives_long_ || !has_seen_others)) {
    key_ = key;
    return;
  }
  end();
  key_ = key;
  is_greeted_ = false;
  Result<std::unique_ptr<WorkerProcess>> worker =
      WorkerProcess::start(setup_.command(provider_), variables_);
  if (!worker) {
    hello_ = {};
    hello_.info.obstacle = fmt::format("{} ({})", worker.error().what, worker.error().hint);
    return;
  }
  worker_ = std::move(*worker);
  worker_->tell({.op = WorkerOp::kHello});
}

void WorkerSession::hear_hello() {
  is_greeted_ = true;
  hello_ = worker_->hear({.op = WorkerOp::kHello}, setup_.start_limit, setup_.cancelled);
  if (hello_.status != CellStatus::kOk) hello_.info.obstacle = hello_.reason;
  const std::string variant = variant_of(provider_);
  if (is_available() && !hello_.variants.empty() &&
      std::ranges::find(hello_.variants, variant) == hello_.variants.end() &&
      std::ranges::find(hello_.variants, provider_) == hello_.variants.end()) {
    hello_.info.obstacle =
        fmt::format("its worker has {}, but not '{}'", fmt::join(hello_.variants, ", "), variant);
  }
  was_available_ = was_available_ || is_available();
}

Result<void> WorkerSession::begin(const std::string& key) {
  start(key);
  if (worker_ != nullptr && !is_greeted_) hear_hello();
  if (is_available()) return {};
  return Error{.code = ErrorCode::kMachineLacks,
               .what = hello_.info.obstacle,
               .where = provider_,
               .hint = ""};
}

WorkerReply WorkerSession::ask(WorkerRequest request) {
  if (worker_ == nullptr) {
    return {.id = request.id, .status = CellStatus::kError, .reason = "there is no worker"};
  }
  WorkerReply reply = worker_->ask(request, setup_.cell_limit, setup_.cancelled);
  for (const std::string& line : worker_->take_noise()) {
    log_.push_back(fmt::format("{}: {}", provider_, line));
  }
  if (reply.requested_bytes && reply.status != CellStatus::kOk) {
    reply.reason += fmt::format("{}({} requested)", reply.reason.empty() ? "" : " ",
                                decimal_bytes_text(*reply.requested_bytes));
  }
  return reply;
}

std::vector<std::string> WorkerSession::take_log() { return std::exchange(log_, {}); }

std::vector<std::string> WorkerSetup::command(const std::string& provider) const {
  if (const auto other = commands.find(provider); other != commands.end()) return other->second;
  std::vector<std::string> command = own;
  command.insert(command.end(), {"--provider", provider});
  return command;
}

WorkerReply greet(const WorkerSetup& setup, const std::string& provider, bool is_about_device) {
  WorkerSession session(provider, setup);
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
  // Last, because recording a kernel leaves hooks in the worker's process.
  hello.floors = ask(WorkerOp::kFloors, "floors").floors;
  return hello;
}

void describe(const WorkerReply& reply, CellRecord& record) {
  record.kernels = reply.kernels;
  record.signature = signature_of(record.kernels);
  record.api = reply.api;
  record.config = reply.config;
  record.lacks = reply.lacks;
  record.clocks = reply.clocks;
  if (reply.resident_bytes) record.bytes.resident = reply.resident_bytes;
  if (reply.peak_bytes) record.bytes.peak = reply.peak_bytes;
  record.notes.insert(record.notes.end(), reply.notes.begin(), reply.notes.end());
}

std::string lower_clock_note(TimeMode mode) {
  return fmt::format("{}: at a lower clock", mode_name(mode));
}

Result<void> check_samples(const SampleBlock& block) {
  if (block.samples_us.empty()) return failure(CellStatus::kError, "the worker gave no sample");
  for (const double sample : block.samples_us) {
    if (!std::isfinite(sample) || sample <= 0) {
      return failure(CellStatus::kError, fmt::format("the worker gave a time of {:g} us", sample));
    }
  }
  return {};
}

Result<SampleBlock> RemoteSampler::sample(const SampleRequest& request) {
  WorkerRequest asked{.op = WorkerOp::kSample, .id = id_};
  asked.sample = request;
  const auto since = std::chrono::steady_clock::now();
  WorkerReply reply = session_.ask(asked);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - since;
  if (reply.status != CellStatus::kOk) {
    status_ = reply.status;
    return failure(reply.status, reply.reason);
  }
  SampleBlock block = std::move(reply.samples[request.mode]);
  if (Result<void> checked = check_samples(block); !checked) {
    status_ = CellStatus::kError;
    return std::move(checked).error();
  }
  if (block.sm_mhz.size() != block.samples_us.size()) block.sm_mhz.clear();
  block.spent_ms = spent.count();
  return block;
}

}  // namespace strobe::bench
