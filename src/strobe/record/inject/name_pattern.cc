#include "strobe/record/inject/name_pattern.h"

#include <cxxabi.h>

#include <cstdlib>

namespace strobe::record {

NamePattern::~NamePattern() {
  if (is_set_) regfree(&pattern_);
}

bool NamePattern::set(const std::string& text) noexcept {
  if (text.empty()) return true;
  is_set_ = regcomp(&pattern_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  return is_set_;
}

bool NamePattern::matches(const char* mangled_name) noexcept {
  const std::string key = mangled_name;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  int status = 0;
  char* plain = abi::__cxa_demangle(mangled_name, nullptr, nullptr, &status);
  const bool is_match =
      regexec(&pattern_, plain != nullptr ? plain : mangled_name, 0, nullptr, 0) == 0;
  std::free(plain);
  known_.emplace(key, is_match);
  return is_match;
}

}  // namespace strobe::record
