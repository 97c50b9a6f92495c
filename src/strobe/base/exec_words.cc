#include "strobe/base/exec_words.h"

extern char** environ;

namespace strobe {

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  for (const auto& [name, value] : variables) {
    const std::string begin = name + "=";
    std::erase_if(all, [&](const std::string& one) { return one.starts_with(begin); });
    if (!value.empty()) all.push_back(begin + value);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace strobe
