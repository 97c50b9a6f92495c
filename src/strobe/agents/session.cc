#include "strobe/agents/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "strobe/agents/message.h"
#include "strobe/agents/toolbox.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/base/version.h"

namespace strobe::agents {
namespace {

// The newest first.
constexpr std::string_view kRevisions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::size_t kMostWaiting = 64;
constexpr std::chrono::milliseconds kLook{50};

constexpr std::string_view kInstructions =
    "strobe reads recordings of programs on accelerators. Begin with `open` (what is there) or "
    "`overview` (where the time went), then `explain` one finding. Keys end in their unit: _ns, "
    "_bytes, _share (of 1). `cannot_answer` lists what the recording cannot tell: never read a "
    "missing number as a good one. Give people the addresses in `links`.";

// A result as JSON, or why there is none.
using RpcResult = std::variant<std::string, RpcError>;

RpcError wrong_params(std::string message) { return {RpcCode::kInvalidParams, std::move(message)}; }

std::string message_of(RpcResult result, std::string_view id) {
  if (const auto* json = std::get_if<std::string>(&result)) return result_message(id, *json);
  RpcError error = std::get<RpcError>(std::move(result));
  error.id = id;
  return error_message(error);
}

RpcResult initialized(std::string_view params) {
  const JsonValue wanted = find(params, "protocolVersion");
  if (wanted.type != JsonType::kString) {
    return wrong_params("'protocolVersion' must be a text");
  }
  const std::string revision = wanted.as_string();
  std::string out;
  JsonWriter json(out);
  json.begin_object().member(
      "protocolVersion", is_known_revision(revision) ? std::string_view(revision) : kRevisions[0]);
  json.key("capabilities").begin_object().key("tools").begin_object().end_object().end_object();
  json.key("serverInfo")
      .begin_object()
      .member("name", "strobe")
      .member("title", "strobe: performance of accelerators")
      .member("version", kVersion)
      .end_object();
  json.member("instructions", kInstructions).end_object();
  return out;
}

RpcResult called(Lab& lab, std::string_view params, const Watch& watch) {
  const JsonValue name = find(params, "name");
  if (name.type != JsonType::kString) return wrong_params("'name' must be a text");
  const JsonValue arguments = find(params, "arguments");
  if (arguments.present() && arguments.type != JsonType::kObject) {
    return wrong_params("'arguments' must be an object");
  }
  const Tool* tool = find_tool(name.as_string());
  if (tool == nullptr) {
    return wrong_params(fmt::format("unknown tool '{}'", name.as_string().substr(0, 100)));
  }
  ToolReply reply;
  try {
    reply = call_tool(*tool, arguments.present() ? arguments.text : "{}", lab, watch);
  } catch (const std::exception& error) {
    return RpcError{RpcCode::kInternalError, error.what()};
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("content").begin_array();
  // The JSON is there as text, too, for clients that read nothing else.
  for (const std::string& text : {reply.text, reply.json}) {
    json.begin_object().member("type", "text").member("text", text).end_object();
  }
  json.end_array().key("structuredContent").raw(reply.json);
  json.member("isError", reply.is_error).end_object();
  return out;
}

// What needs neither a tool nor a conversation.
RpcResult simple_result(const RpcMessage& message) {
  if (message.method == "initialize") return initialized(message.params);
  if (message.method == "ping") return std::string("{}");
  if (message.method == "tools/list") return tool_list();
  return RpcError{RpcCode::kMethodNotFound,
                  fmt::format("there is no method '{}'", message.method.substr(0, 100))};
}

std::string progress_params(const std::string& token, double share, std::string_view what) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("progressToken").raw(token);
  json.member("progress", share).member("total", 1).member("message", what).end_object();
  return out;
}

// As JSON; "" if the caller wants no progress.
std::string progress_token(std::string_view params) {
  const JsonValue token = find(find(params, "_meta").text, "progressToken");
  if (token.type == JsonType::kString) return fmt::format("\"{}\"", token.text);
  return token.type == JsonType::kNumber ? std::string(token.text) : std::string();
}

}  // namespace

bool is_known_revision(std::string_view revision) {
  return std::ranges::find(kRevisions, revision) != std::end(kRevisions);
}

struct Session::State {
  struct Call {
    RpcMessage message;
    std::atomic<bool> is_cancelled = false;
  };

  State(Lab& given, Send how) : lab(given), send(std::move(how)) {}

  Lab& lab;
  const Send send;
  std::mutex send_mutex;
  // Only the receiving thread looks at these.
  std::string line;  // that has not ended yet
  bool is_initialized = false;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Call>> calls;  // the first one is being answered
  bool is_over = false;
  std::thread worker;

  void put(std::string_view message) {
    const std::scoped_lock lock(send_mutex);
    send(message);
  }

  void receive(std::string_view message);
  void ask(RpcMessage message);
  void request(RpcMessage message);
  void notice(const RpcMessage& message);
  void cancel(const std::string& id);
  void work();
  std::string answer(Call& call);
};

void Session::State::request(RpcMessage message) {
  const bool is_early =
      !is_initialized && message.method != "initialize" && message.method != "ping";
  if (is_early) {
    return put(error_message(
        {RpcCode::kInvalidRequest, "the first request must be 'initialize'", message.id}));
  }
  if (message.method == "tools/call") return ask(std::move(message));
  RpcResult result = simple_result(message);
  if (message.method == "initialize") {
    is_initialized = is_initialized || std::holds_alternative<std::string>(result);
  }
  put(message_of(std::move(result), message.id));
}

void Session::State::ask(RpcMessage message) {
  const auto call = std::make_shared<Call>();
  call->message = std::move(message);
  std::string refusal;
  {
    const std::scoped_lock lock(mutex);
    const std::string& id = call->message.id;
    const auto is_same = [&](const auto& other) { return other->message.id == id; };
    if (std::ranges::any_of(calls, is_same)) {
      refusal = "a request with this id is not answered yet";
    } else if (calls.size() >= kMostWaiting) {
      refusal = fmt::format("{} calls wait already", kMostWaiting);
    } else {
      calls.push_back(call);
    }
  }
  if (!refusal.empty()) {
    return put(error_message({RpcCode::kInvalidRequest, refusal, call->message.id}));
  }
  changed.notify_all();
}

void Session::State::notice(const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;  // others change nothing here
  const JsonValue id = find(message.params, "requestId");
  if (id.type == JsonType::kString) cancel(fmt::format("\"{}\"", id.text));
  if (id.type == JsonType::kNumber) cancel(std::string(id.text));
}

void Session::State::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex);
  for (const auto& call : calls) {
    if (call->message.id == id) call->is_cancelled = true;
  }
}

std::string Session::State::answer(Call& call) {
  Watch watch;
  watch.is_cancelled = [&call] { return call.is_cancelled.load(); };
  const std::string token = progress_token(call.message.params);
  double told = -1;
  if (!token.empty()) {
    watch.progress = [&, token](double share, std::string_view what) {
      if (share <= told || call.is_cancelled) return;
      told = share;
      put(notification_message("notifications/progress", progress_params(token, share, what)));
    };
  }
  return message_of(called(lab, call.message.params, watch), call.message.id);
}

void Session::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_over || !calls.empty(); });
    if (is_over) return;
    const std::shared_ptr<Call> call = calls.front();
    lock.unlock();
    const std::string message = call->is_cancelled ? std::string() : answer(*call);
    // A caller that has cancelled expects no answer.
    if (!call->is_cancelled) put(message);
    lock.lock();
    calls.pop_front();
    changed.notify_all();
  }
}

Session::Session(Lab& lab, Send send) : state_(std::make_unique<State>(lab, std::move(send))) {
  state_->worker = std::thread([state = state_.get()] { state->work(); });
}

Session::~Session() {
  {
    const std::scoped_lock lock(state_->mutex);
    for (const auto& call : state_->calls) call->is_cancelled = true;
    state_->is_over = true;
  }
  state_->changed.notify_all();
  state_->worker.join();
}

void Session::State::receive(std::string_view message) {
  if (trimmed(message).empty()) return;
  auto read = read_message(message);
  if (const auto* error = std::get_if<RpcError>(&read)) return put(error_message(*error));
  RpcMessage& known = std::get<RpcMessage>(read);
  if (known.kind == RpcKind::kRequest) return request(std::move(known));
  if (known.kind == RpcKind::kNotification) notice(known);
}

void Session::feed(std::string_view bytes) {
  std::string& line = state_->line;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    // One byte more than a message may have is enough to refuse it.
    line += bytes.substr(0, std::min(end, kMostMessageBytes + 1 - line.size()));
    const bool is_whole = end < bytes.size();
    bytes.remove_prefix(end + (is_whole ? 1 : 0));
    if (is_whole) state_->receive(std::exchange(line, {}));
  }
}

void Session::finish(const std::function<bool()>& is_over) {
  state_->receive(std::exchange(state_->line, {}));
  std::unique_lock lock(state_->mutex);
  while (!state_->calls.empty() && !is_over()) state_->changed.wait_for(lock, kLook);
}

std::optional<std::string> answer_once(Lab& lab, std::string_view message, const Watch& watch) {
  auto read = read_message(message);
  if (const auto* error = std::get_if<RpcError>(&read)) return error_message(*error);
  const RpcMessage& known = std::get<RpcMessage>(read);
  if (known.kind != RpcKind::kRequest) return std::nullopt;
  RpcResult result =
      known.method == "tools/call" ? called(lab, known.params, watch) : simple_result(known);
  return message_of(std::move(result), known.id);
}

}  // namespace strobe::agents
