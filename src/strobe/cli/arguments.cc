#include "strobe/cli/command.h"

namespace strobe::cli {

std::string Arguments::get(std::string_view flag, std::string_view fallback) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::string(fallback) : found->second.back();
}

std::vector<std::string> Arguments::list(std::string_view flag) const {
  std::vector<std::string> words;
  const auto found = values_.find(flag);
  if (found == values_.end()) return words;
  for (const std::string& typed : found->second) {
    std::string_view rest = typed;
    while (true) {
      const std::size_t comma = rest.find(',');
      if (comma != 0 && !rest.empty()) words.emplace_back(rest.substr(0, comma));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return words;
}

std::vector<std::string> Arguments::every(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

bool Arguments::is_on(std::string_view flag, bool fallback) const {
  return has(flag) ? get(flag) == "on" : fallback;
}

}  // namespace strobe::cli
