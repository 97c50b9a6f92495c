#pragma once

#include <span>
#include <string_view>

namespace strobe::query {

// A query that people ask often, by name.
struct Question {
  std::string_view name;
  std::string_view meaning;
  std::string_view sql;
};

std::span<const Question> questions();
const Question* find_question(std::string_view name);  // null if there is none

}  // namespace strobe::query
