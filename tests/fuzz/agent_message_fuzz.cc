// Any bytes as a message from an agent: strobe and simdjson agree on what is JSON, and the answer
// is JSON on one line.
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "strobe/agents/message.h"
#include "strobe/agents/session.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using strobe::agents::RpcMessage;

// Has no trace, so that a call ends at once.
class NoLab : public strobe::agents::Lab {
 public:
  strobe::Result<std::string> ask(std::string_view, const Parameters&,
                                  const strobe::agents::Watch&) override {
    return strobe::Error{strobe::ErrorCode::kTooLittleData, "nothing is there", "", ""};
  }
  strobe::Result<strobe::agents::Source> find(const std::string& typed) override {
    return strobe::agents::Source{.name = typed, .traces = {typed}};
  }
  std::string page() const override { return ""; }
};

// simdjson refuses numbers that no double or integer of 64 bits holds; they are JSON all the same.
bool parses(std::string_view text, bool& is_about_numbers) {
  static simdjson::dom::parser parser;
  simdjson::dom::element document;
  const auto error = parser.parse(text.data(), text.size()).get(document);
  is_about_numbers = error == simdjson::NUMBER_ERROR;
  return error == simdjson::SUCCESS;
}

void compare_readers(std::string_view text) {
  bool is_about_numbers = false;
  const bool is_valid = parses(text, is_about_numbers);
  const bool is_ours = strobe::agents::is_json(text);
  FUZZ_CHECK(!is_ours || is_valid || is_about_numbers, "what is accepted is JSON");
  // Deep nesting is refused, and half surrogate pairs, which simdjson lets pass.
  const auto opened =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; });
  const bool has_escapes = text.find("\\u") != std::string_view::npos;
  FUZZ_CHECK(!is_valid || is_ours || opened > 64 || has_escapes, "JSON is accepted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMostBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  compare_readers(text);
  const auto read = strobe::agents::read_message(text);
  if (const auto* message = std::get_if<RpcMessage>(&read)) {
    FUZZ_CHECK(strobe::agents::is_json(message->params), "params are JSON");
    FUZZ_CHECK(message->id.empty() || strobe::agents::is_json(message->id), "an id is JSON");
  }
  NoLab lab;
  const auto check = [](std::string_view answer) {
    FUZZ_CHECK(strobe::agents::is_json(answer), "an answer is JSON");
    FUZZ_CHECK(answer.find('\n') == std::string_view::npos, "an answer is one line");
  };
  if (const auto answer = strobe::agents::answer_once(lab, text, {})) check(*answer);
  return 0;
}
