#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// JSON-RPC 2.0, as the Model Context Protocol uses it: one message at a time, no batches, and ids
// that are texts or numbers.
namespace strobe::agents {

// A longer message is refused before it is read to its end.
inline constexpr std::size_t kMostMessageBytes = 1 << 20;

enum class RpcCode : std::int32_t {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

struct RpcError {
  RpcCode code = RpcCode::kInternalError;
  std::string message;
  std::string id = "null";  // of the request, as JSON
};

enum class RpcKind : std::uint8_t { kRequest, kNotification, kResponse };

struct RpcMessage {
  RpcKind kind = RpcKind::kRequest;
  std::string id;             // as JSON: 7 or "a"; "" of a notification
  std::string method;         // "" of a response
  std::string params = "{}";  // an object, as JSON
};

// Anything but one complete message is an error with its code.
std::variant<RpcMessage, RpcError> read_message(std::string_view text);

// Whether the whole text is one value of JSON: valid UTF-8, nested at most 64 deep.
bool is_json(std::string_view text);

// Messages to send. `result` and `params` are JSON.
std::string result_message(std::string_view id, std::string_view result);
std::string error_message(const RpcError& error);
std::string notification_message(std::string_view method, std::string_view params);

}  // namespace strobe::agents
