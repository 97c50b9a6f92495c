#pragma once

#include <cstdint>

#include "strobe/record/inject/name_pattern.h"
#include "strobe/record/inject/settings.h"

namespace strobe::record {

// Which launches are wanted, by number and by name, and which of them the counters begin afresh
// for. Used by one thread at a time.
class LaunchFilter {
 public:
  // What is no regular expression; "" if all are.
  std::string configure(const Settings& settings) noexcept;

  bool wants(std::uint64_t index, const char* mangled_name) noexcept;
  bool wants_index(std::uint64_t index) const noexcept { return first_ <= index && index <= last_; }
  bool isolates(const char* mangled_name) noexcept;
  bool has_pattern() const noexcept { return kernels_.is_set() || isolated_.is_set(); }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  NamePattern kernels_;
  NamePattern isolated_;
};

}  // namespace strobe::record
