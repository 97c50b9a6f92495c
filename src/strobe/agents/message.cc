#include "strobe/agents/message.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/text.h"

namespace strobe::agents {
namespace {

constexpr int kMostDepth = 64;

// Reads JSON to the letter. The readers of strobe repair what they can; a message from a program is
// either right or refused.
class StrictReader {
 public:
  explicit StrictReader(std::string_view text) : left_(text) {}

  bool reads_one_value() {
    skip_space();
    if (!value(0)) return false;
    skip_space();
    return left_.empty();
  }

 private:
  void skip_space() {
    while (!left_.empty() && is_space(left_.front())) left_.remove_prefix(1);
  }

  bool take(std::string_view word) {
    if (!left_.starts_with(word)) return false;
    left_.remove_prefix(word.size());
    return true;
  }

  bool value(int depth) {
    if (left_.empty() || depth > kMostDepth) return false;
    switch (left_.front()) {
      case '{':
        return items('}', true, depth);
      case '[':
        return items(']', false, depth);
      case '"':
        return string();
      case 't':
        return take("true");
      case 'f':
        return take("false");
      case 'n':
        return take("null");
      default:
        return number();
    }
  }

  bool items(char close, bool has_keys, int depth) {
    left_.remove_prefix(1);
    skip_space();
    if (take(std::string_view(&close, 1))) return true;
    while (true) {
      if (has_keys) {
        if (!string()) return false;
        skip_space();
        if (!take(":")) return false;
        skip_space();
      }
      if (!value(depth + 1)) return false;
      skip_space();
      if (take(std::string_view(&close, 1))) return true;
      if (!take(",")) return false;
      skip_space();
    }
  }

  bool string() {
    if (!take("\"")) return false;
    const std::string_view from = left_;
    while (!left_.empty() && left_.front() != '"') {
      left_.remove_prefix(std::min<std::size_t>(left_.front() == '\\' ? 2 : 1, left_.size()));
    }
    const std::string_view content = from.substr(0, from.size() - left_.size());
    if (!take("\"")) return false;
    bool repaired = false;
    unescape(content, &repaired);
    return !repaired;
  }

  bool digits() {
    if (left_.empty() || !is_digit(left_.front())) return false;
    while (!left_.empty() && is_digit(left_.front())) left_.remove_prefix(1);
    return true;
  }

  bool number() {
    take("-");
    if (!take("0") && !digits()) return false;
    if (take(".") && !digits()) return false;
    if (!take("e") && !take("E")) return true;
    if (!take("+")) take("-");
    return digits();
  }

  std::string_view left_;
};

RpcError invalid_request(std::string message, std::string id = "null") {
  return {RpcCode::kInvalidRequest, std::move(message), std::move(id)};
}

// As JSON, as it was sent; "" if it may not be an id.
std::string id_text(const JsonValue& id) {
  if (id.type == JsonType::kString) return fmt::format("\"{}\"", id.text);
  return id.type == JsonType::kNumber ? std::string(id.text) : std::string();
}

}  // namespace

bool is_json(std::string_view text) {
  return is_valid_utf8(text) && StrictReader(text).reads_one_value();
}

std::variant<RpcMessage, RpcError> read_message(std::string_view text) {
  if (text.size() > kMostMessageBytes) {
    return invalid_request(fmt::format("the message is longer than {} bytes", kMostMessageBytes));
  }
  if (!is_json(text)) {
    return RpcError{RpcCode::kParseError, "the message is not valid JSON in UTF-8"};
  }
  const JsonValue root = parse_value(text);
  if (root.type == JsonType::kArray) {
    return invalid_request("batches are not supported: send one message at a time");
  }
  if (root.type != JsonType::kObject) return invalid_request("a message is an object");
  const JsonValue id = find(root.text, "id");
  const std::string own_id = id_text(id);
  const std::string answer_id = own_id.empty() ? "null" : own_id;
  const JsonValue version = find(root.text, "jsonrpc");
  if (version.type != JsonType::kString || version.as_string() != "2.0") {
    return invalid_request("the member 'jsonrpc' must be \"2.0\"", answer_id);
  }
  const JsonValue method = find(root.text, "method");
  if (!method.present() &&
      (find(root.text, "result").present() || find(root.text, "error").present())) {
    return RpcMessage{.kind = RpcKind::kResponse, .id = own_id, .method = ""};
  }
  if (method.type != JsonType::kString) {
    return invalid_request("the member 'method' must be a text", answer_id);
  }
  if (id.present() && own_id.empty()) {
    return invalid_request("the member 'id' must be a text or a number");
  }
  const JsonValue params = find(root.text, "params");
  if (params.present() && params.type != JsonType::kObject) {
    return RpcError{RpcCode::kInvalidParams, "the member 'params' must be an object", answer_id};
  }
  return RpcMessage{.kind = id.present() ? RpcKind::kRequest : RpcKind::kNotification,
                    .id = own_id,
                    .method = method.as_string(),
                    .params = params.present() ? std::string(params.text) : "{}"};
}

std::string result_message(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string error_message(const RpcError& error) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("jsonrpc", "2.0").key("id").raw(error.id);
  json.key("error")
      .begin_object()
      .member("code", static_cast<std::int32_t>(error.code))
      .member("message", error.message)
      .end_object()
      .end_object();
  return out;
}

std::string notification_message(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params);
}

}  // namespace strobe::agents
