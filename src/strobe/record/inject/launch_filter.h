#pragma once

#include <regex.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strobe/record/inject/settings.h"

// Which launches are measured, and which of them apart from the others.
namespace strobe::record {

// A regular expression that is searched in kernels' names as people write them, demangled once a
// name. Used by one thread at a time.
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

// Launches of one kernel and grid are of one kind. A number is enough: if two kinds share it, one
// launch is set apart too many or too few.
using LaunchKind = std::uint64_t;
LaunchKind kind_of_launch(std::string_view name, const std::array<std::uint32_t, 3>& grid) noexcept;

// Which launches the counters are stopped and started before, to be measured apart: short ones
// right behind long ones. What a long launch leaves in the cache is written to memory while the
// next one runs; a short one it can outweigh (on an H200, 5 us behind 50: 4 % of the time and a
// third of the bytes written, and stopping the counters is all that was found to prevent it). How
// long they take is known once the same two, one behind the other, were read out. Setting apart
// costs some 30 ms: all launches behind one ten times as long have a claim to it, one in four
// behind one five times as long, and so on, but no more than one in sixteen of all.
class Isolation {
 public:
  // Of every launch, in their order: whether it should be set apart.
  bool is_due(LaunchKind next) noexcept;
  // The same launches later, in the same order; no number if nobody knows how long it took.
  void learn(LaunchKind kind, double duration_ns) noexcept;

 private:
  struct Learned {
    LaunchKind kind = 0;
    double duration_ns = 0;
  };

  struct Pair {
    double share = 0;  // of its launches that ought to be set apart
    double claim = 0;  // of those since the last that was
  };

  std::unordered_map<LaunchKind, Pair> pairs_;  // by the two kinds in one
  LaunchKind previous_ = 0;
  Learned last_;
  std::uint64_t launches_ = 0;
  std::uint64_t set_apart_ = 0;
};

// Which launches are wanted, by number and by name, and which of them the counters begin afresh
// for. Used by one thread at a time.
class LaunchFilter {
 public:
  // The text that is not a regular expression; "" if all are.
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
