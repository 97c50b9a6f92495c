#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "strobe/agents/lab.h"

// The Model Context Protocol: https://modelcontextprotocol.io, revision 2025-06-18 and two before.
namespace strobe::agents {

// Whether strobe speaks this revision of the protocol.
bool is_known_revision(std::string_view revision);

// One conversation, in which messages arrive one by one: over stdio, a line each. Calls of tools
// are answered one after the other, by a thread of their own, so that a ping or a cancellation is
// heard while a tool works.
class Session {
 public:
  // `send` gets one message at a time, without a line end; from two threads, never at once.
  using Send = std::function<void(std::string_view message)>;

  Session(Lab& lab, Send send);
  ~Session();  // cancels what is not answered

  // Bytes as they arrive: messages that end with a line end. Of a message that is too long only its
  // end is looked for.
  void feed(std::string_view bytes);
  // After the last bytes: waits until every call is answered, or until `is_over`.
  void finish(const std::function<bool()>& is_over);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One message without a conversation, as HTTP brings it: the answer, or nothing for a message that
// needs none.
std::optional<std::string> answer_once(Lab& lab, std::string_view message, const Watch& watch);

}  // namespace strobe::agents
