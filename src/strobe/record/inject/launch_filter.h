#pragma once

#include <regex.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "strobe/record/inject/settings.h"

namespace strobe::record {

// Which launches are wanted: by number, and by name as people write it. Used by one thread at a
// time.
class LaunchFilter {
 public:
  LaunchFilter() = default;
  LaunchFilter(const LaunchFilter&) = delete;
  LaunchFilter& operator=(const LaunchFilter&) = delete;
  ~LaunchFilter();

  // False if the pattern is none.
  bool configure(const Settings& settings) noexcept;

  bool wants(std::uint64_t index, const char* mangled_name) noexcept;
  bool wants_index(std::uint64_t index) const noexcept { return first_ <= index && index <= last_; }
  bool has_pattern() const noexcept { return has_pattern_; }

 private:
  bool matches(const char* mangled_name) noexcept;

  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool has_pattern_ = false;
  regex_t pattern_ = {};
  std::unordered_map<std::string, bool> known_;  // by mangled name
};

}  // namespace strobe::record
