#pragma once

#include <regex.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/record/inject/settings.h"

// Decides which launches are measured, and which of them separately.
namespace strobe::record {

// A regular expression that is searched in demangled kernel names; each name is demangled once.
// Used by one thread at a time.
class NamePattern {
 public:
  NamePattern() = default;
  NamePattern(const NamePattern&) = delete;
  NamePattern& operator=(const NamePattern&) = delete;
  ~NamePattern();

  // False if the text is not a regular expression. "" sets no pattern.
  bool set(const std::string& text) noexcept;
  bool is_set() const noexcept { return is_set_; }
  bool matches(const char* mangled_name) noexcept;

 private:
  bool is_set_ = false;
  regex_t pattern_ = {};
  std::unordered_map<std::string, bool> known_;  // by mangled name
};

// Launches of one kernel and grid are of one kind. A hash is enough: a collision only isolates one
// launch too many or too few.
using LaunchKind = std::uint64_t;
LaunchKind kind_of_launch(std::string_view name, const std::array<std::uint32_t, 3>& grid) noexcept;

// Decides before which launches the counters are stopped and started, to isolate them: short ones
// directly after long ones. What a long launch leaves in the cache is written to memory during the
// next one, and can exceed the traffic of a short one (on an H200, 5 us after 50: 4 % of the time
// and a third of the bytes written; only stopping the counters prevents it). The durations are
// known once the same pair has been read out. Isolation costs about 30 ms: all launches after one
// ten times as long qualify, one in four after one five times as long, and so on, but at most one
// in sixteen of all.
class Isolation {
 public:
  // Call it for every launch, in order: whether it should be isolated.
  bool is_due(LaunchKind next) noexcept;
  // The same launches later, in the same order; without a duration if that is unknown.
  void learn(LaunchKind kind, double duration_ns) noexcept;

 private:
  struct Learned {
    LaunchKind kind = 0;
    double duration_ns = 0;
  };

  struct Pair {
    double share = 0;  // of its launches that should be isolated
    double claim = 0;  // sum of the shares since the last isolated one
  };

  std::unordered_map<LaunchKind, Pair> pairs_;  // key: both kinds combined
  LaunchKind previous_ = 0;
  Learned last_;
  std::uint64_t launches_ = 0;
  std::uint64_t set_apart_ = 0;
};

// Decides which launches are wanted, by number and by name, and for which of them the counters
// restart. Used by one thread at a time.
class LaunchFilter {
 public:
  // Returns the text that is not a regular expression; "" if all are valid.
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
