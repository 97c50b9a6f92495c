#include "strobe/bench/workers/worker_session.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/bench/workers/protocol_words.h"

namespace strobe::bench {

bool WorkerSession::can(std::string_view op) const {
  return std::ranges::find(hello_.ops, op) != hello_.ops.end();
}

bool WorkerSession::has(TimeMode mode) const {
  // A worker that does not say is asked; it answers or it does not.
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
  Result<std::unique_ptr<WorkerProcess>> worker = WorkerProcess::start(command_, variables_);
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
  hello_ = worker_->hear({.op = WorkerOp::kHello}, request_.start_limit, request_.cancelled);
  if (hello_.status != CellStatus::kOk) hello_.info.obstacle = hello_.reason;
  const std::string variant = variant_of(provider_);
  if (is_available() && !hello_.variants.empty() &&
      std::ranges::find(hello_.variants, variant) == hello_.variants.end() &&
      std::ranges::find(hello_.variants, provider_) == hello_.variants.end()) {
    hello_.info.obstacle =
        fmt::format("its worker knows {}, and not '{}'", fmt::join(hello_.variants, ", "), variant);
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
  WorkerReply reply = worker_->ask(request, request_.cell_limit, request_.cancelled);
  for (const std::string& line : worker_->take_noise()) {
    log_.push_back(fmt::format("{}: {}", provider_, line));
  }
  if (reply.requested_bytes && reply.status != CellStatus::kOk) {
    reply.reason += fmt::format("{}({} asked for)", reply.reason.empty() ? "" : " ",
                                decimal_bytes_text(*reply.requested_bytes));
  }
  return reply;
}

std::vector<std::string> WorkerSession::take_log() { return std::exchange(log_, {}); }

}  // namespace strobe::bench
