#pragma once

#include <regex.h>

#include <string>
#include <unordered_map>

namespace strobe::record {

// A regular expression that is searched in kernels' names as people write them, demangled once a
// name. Used by one thread at a time.
class NamePattern {
 public:
  NamePattern() = default;
  NamePattern(const NamePattern&) = delete;
  NamePattern& operator=(const NamePattern&) = delete;
  ~NamePattern();

  // False if the text is no expression. "" is no pattern at all.
  bool set(const std::string& text) noexcept;
  bool is_set() const noexcept { return is_set_; }
  bool matches(const char* mangled_name) noexcept;

 private:
  bool is_set_ = false;
  regex_t pattern_ = {};
  std::unordered_map<std::string, bool> known_;  // by mangled name
};

}  // namespace strobe::record
