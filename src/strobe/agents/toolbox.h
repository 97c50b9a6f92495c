#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strobe/agents/answer.h"
#include "strobe/agents/lab.h"
#include "strobe/base/result.h"

// The tools: each is a question that a person asks about a recording.
namespace strobe::agents {

// The arguments of a call, as JSON. Every error is a kInvalidArgument that names the argument.
class ToolArguments {
 public:
  explicit ToolArguments(std::string_view object) : object_(object) {}

  // Fails for a name that the schema does not have, and lists those that it has.
  Result<void> expect_known(std::string_view input_schema) const;

  Result<std::string> text(std::string_view name) const;    // "" if absent
  Result<std::string> needed(std::string_view name) const;  // an error if absent
  Result<bool> flag(std::string_view name) const;           // false if absent
  Result<std::optional<std::int64_t>> integer(std::string_view name, std::int64_t least,
                                              std::int64_t most) const;

  // By `limit` (rows per table) and `full`.
  Result<AnswerSize> size() const;

 private:
  std::string_view object_;
};

struct ToolCall {
  const ToolArguments& arguments;
  AnswerSize size;
  Lab& lab;
  const Watch& watch;
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view question;    // that stays open if the data cannot answer
  std::string_view properties;  // of its arguments, as JSON without braces
  std::string_view required;    // a list, as JSON
  Result<Answer> (*run)(const ToolCall& call);

  std::string input_schema() const;
};

std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);  // null: there is none

// The result of `tools/list`, as JSON.
std::string tool_list();

// Calls a tool. A wrong question is an error; data or a machine that cannot answer is an answer
// with `cannot_answer`. `arguments` is an object, as JSON.
ToolReply call_tool(const Tool& tool, std::string_view arguments, Lab& lab, const Watch& watch);

Result<Answer> overview_answer(const ToolCall& call);
Result<Answer> explain_answer(const ToolCall& call);
Result<Answer> compare_answer(const ToolCall& call);
Result<Answer> kernels_answer(const ToolCall& call);
Result<Answer> fleet_answer(const ToolCall& call);
Result<Answer> search_answer(const ToolCall& call);
Result<Answer> query_answer(const ToolCall& call);
Result<Answer> open_answer(const ToolCall& call);

}  // namespace strobe::agents
